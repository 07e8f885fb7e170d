/**
 * Under `bindery dev` each change of a declaration starts the server anew. The page finds that by
 * the ids of requests, which begin with a text of the process, and reads everything again.
 */
import { serverUrl } from '../address/place.ts'
import { queries } from './queries.ts'

const everyMs = 150

/** Undefined while no server answers. */
async function processOf(): Promise<string | undefined> {
  const answer = await fetch(`${serverUrl}/livez`, { cache: 'no-store' }).catch(() => undefined)
  return answer?.headers.get('x-request-id')?.replace(/-[^-]*$/, '')
}

export function followRestarts(): void {
  if (!document.querySelector('meta[name=bindery-console-developed]')) return
  let before: string | undefined
  const look = async () => {
    const now = document.hidden ? undefined : await processOf()
    if (now !== undefined && before !== undefined && now !== before) void queries.invalidateQueries()
    before = now ?? before
    setTimeout(look, everyMs)
  }
  void look()
}
