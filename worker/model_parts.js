// Where the parts of a model lie.
import { engineError, messageOf } from "./engine_error.js";

const OWN_URL = "wllama:";

/**
 * @param {string} model "embedded", which the site lists in an index, or "wllama:<URL of a GGUF>"
 * @param {(name: string) => string} assetUrl
 * @returns {Promise<import("./model_store.js").Part[]>} in the order in which they are joined
 */
export async function partsOfModel(model, assetUrl) {
  if (model.startsWith(OWN_URL)) return [ownPart(model.slice(OWN_URL.length))];
  const indexUrl = assetUrl("models/embedded.json");
  const { parts } = await fetchIndex(indexUrl);
  return parts.map((/** @type {{file: string, bytes: number, sha256: string}} */ part) => ({
    ...part,
    url: new URL(part.file, indexUrl).href,
  }));
}

/** @param {string} address */
function ownPart(address) {
  if (!URL.canParse(address, self.location.href)) {
    throw engineError(`"${address}" is no URL. Name the model as wllama:<URL of a GGUF file>.`);
  }
  const { href } = new URL(address, self.location.href);
  return { url: href, file: href.slice(href.lastIndexOf("/") + 1) };
}

/** @param {string} url */
async function fetchIndex(url) {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return await response.json();
  } catch (fault) {
    throw engineError(
      `The list of the model's parts, ${url}, cannot be read (${messageOf(fault)}). ` +
        "Check the connection and that the site is complete, then try again.",
      { retryable: true },
    );
  }
}
