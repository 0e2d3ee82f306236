// All styles of <pagehand-chat>, in the order of the cascade.

import { styles as composer } from "./composer.js";
import { styles as emptyState } from "./empty_state.js";
import { styles as errorCard } from "./error_card.js";
import { styles as header } from "./header.js";
import { styles as layout } from "./layout.js";
import { styles as markdownView } from "./markdown_view.js";
import { styles as modelDialog } from "./model_dialog.js";
import { styles as plan } from "./plan.js";
import { styles as runCard } from "./run_card.js";
import { styles as statusLine } from "./status_line.js";
import { styles as step } from "./step.js";
import { theme } from "./theme.js";
import { styles as thoughts } from "./thoughts.js";
import { styles as toolCard } from "./tool_card.js";

export const styleSheets = [
  theme,
  layout,
  composer,
  emptyState,
  errorCard,
  header,
  markdownView,
  modelDialog,
  plan,
  runCard,
  statusLine,
  step,
  thoughts,
  toolCard,
];
