/**
 * A separate process that sends requests as other clients do while its parent attacks: `/livez` on
 * new connections, and a list on one open connection.
 */
import { Agent, get } from 'node:http'

export type Probed = {
  readonly what: string
  readonly count: number
  readonly msMax: number
  readonly wrong: readonly string[]
}

const everyMs = 40
const keptAlive = new Agent({ keepAlive: true, maxSockets: 1 })

/** The status, or what went wrong. */
function ask(url: string, agent: Agent | false): Promise<string> {
  return new Promise((resolve) => {
    const asking = get(url, { agent, timeout: 60_000 }, (answer) => {
      answer
        .resume()
        .on('end', () => resolve(String(answer.statusCode)))
        .on('error', (error) => resolve(error.message))
    })
    asking.on('timeout', () => asking.destroy(new Error('no answer within a minute')))
    asking.on('error', (error) => resolve(error.message))
  })
}

async function watch(what: string, url: string, agent: Agent | false): Promise<void> {
  let [count, msMax, sinceMs] = [0, 0, 0]
  const wrong: string[] = []
  process.on('message', (message) => {
    // One that is still waiting counts as if it were answered now.
    if (sinceMs > 0) msMax = Math.max(msMax, performance.now() - sinceMs)
    if (message === 'forget') [count, msMax, wrong.length] = [0, 0, 0]
    else process.send?.({ what, count, msMax: Math.round(msMax), wrong } satisfies Probed)
  })
  for (;;) {
    sinceMs = performance.now()
    const status = await ask(url, agent)
    msMax = Math.max(msMax, performance.now() - sinceMs)
    sinceMs = 0
    count += 1
    if (status !== '200') wrong.push(status)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

const [url = ''] = process.argv.slice(2)
void watch('/livez', `${url}/livez`, false)
void watch('a list', `${url}/shelves?limit=1`, keptAlive)
