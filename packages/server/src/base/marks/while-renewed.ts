/** Work under a mark that others see, which is renewed while the work goes on. */

/** A mark of a killed process counts for so long. */
export const markedMs = 10 * 60_000
const renewMs = 60_000

/** `end`: removes the mark. No `renew` goes on by then. */
export type Mark = { renew(): Promise<void>; end(): Promise<void> }

/** Does the work under the mark, which is there before the work begins. */
export async function whileRenewed<T>({ renew, end }: Mark, work: () => Promise<T>): Promise<T> {
  await renew()
  let renewing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    renewing = renewing.then(renew).catch(() => undefined)
  }, renewMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await renewing
    await end()
  }
}
