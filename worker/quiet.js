/**
 * Waits until nothing has happened for a while.
 * @param {{lastActivity: number}} activity  when something last happened, by performance.now()
 * @param {number} ms  how long nothing must have happened
 */
export async function quiet(activity, ms) {
  for (let since = 0; since < ms; since = performance.now() - activity.lastActivity) {
    await new Promise((resolve) => setTimeout(resolve, ms - since));
  }
}
