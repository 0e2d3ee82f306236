// Reads an answer's body ahead of Python and hands over what came since the last time in one piece:
// an await in Python costs as much as reading dozens of chunks here, so what is at hand is taken
// without one.

const READ_AHEAD_BYTES = 1_000_000;

/**
 * @typedef {object} Pumped  an answer that is being read
 * @property {Promise<Response>} response  the answer, once its head is there
 * @property {number} ready  how many bytes are at hand
 * @property {boolean} over  whether the body has ended and nothing is left to take
 * @property {() => Uint8Array} take  what is at hand
 * @property {() => Promise<void>} news  waits for bytes or for the end; fails when the body does,
 *   after all that came before was taken
 */

/**
 * @param {Promise<Response>} asked  what `fetch` gives
 * @returns {Pumped}
 */
export function pump(asked) {
  /** @type {Uint8Array[]} */
  let chunks = [];
  let ready = 0;
  let ended = false;
  /** @type {unknown} */
  let fault;
  /** @type {(() => void) | undefined} */
  let wakeReader;
  /** @type {(() => void) | undefined} */
  let wakePump;

  /** @param {Response} response */
  const readAhead = async ({ body }) => {
    const reader = body?.getReader();
    try {
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
        chunks.push(next.value);
        ready += next.value.byteLength;
        wakeReader?.();
        if (ready >= READ_AHEAD_BYTES) {
          await /** @type {Promise<void>} */ (new Promise((resolve) => (wakePump = resolve)));
        }
      }
    } catch (caught) {
      fault = caught;
    }
    ended = true;
    wakeReader?.();
  };

  return {
    response: asked.then(async (response) => {
      void readAhead(response);
      await turn(); // a short body has come by then
      return response;
    }),
    get ready() {
      return ready;
    },
    get over() {
      return ended && ready === 0 && fault === undefined;
    },
    take() {
      const whole = joined(chunks, ready);
      chunks = [];
      ready = 0;
      wakePump?.();
      return whole;
    },
    async news() {
      if (ready === 0 && !ended) {
        await /** @type {Promise<void>} */ (new Promise((resolve) => (wakeReader = resolve)));
        await turn(); // what arrived together is handed over together
      }
      if (ready === 0 && fault !== undefined) throw fault;
    },
  };
}

const { port1, port2 } = new MessageChannel();
/** @type {(() => void)[]} */
const turns = [];
port1.onmessage = () => turns.shift()?.();

/** One turn of the event loop; a timer would wait longer. */
function turn() {
  return /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      turns.push(resolve);
      port2.postMessage(null);
    })
  );
}

/** @param {Uint8Array[]} chunks @param {number} bytes */
function joined(chunks, bytes) {
  if (chunks.length === 1) return /** @type {Uint8Array} */ (chunks[0]);
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
