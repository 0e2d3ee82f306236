// Entry of a worker that does one thing: make the snapshot for the next visit, then end.

import { makeSnapshot } from "./boot.js";
import { storeSnapshot } from "./snapshot.js";

storeSnapshot(makeSnapshot)
  .catch(() => {}) // no room, no OPFS, or a browser whose memory cannot be saved: no snapshot
  .finally(() => self.close());
