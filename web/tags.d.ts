// Tells TypeScript which element the tag stands for. Shipped beside the declarations made by tsc.

import type { PagehandChat } from "./element.js";

declare global {
  interface HTMLElementTagNameMap {
    "pagehand-chat": PagehandChat;
  }
}
