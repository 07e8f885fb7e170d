/**
 * An application with a `ready` hook. The hook prints the responses of `/readyz`, `/livez` and a
 * list, as they are before it has finished.
 */
import { runService } from '../../src/index.ts'
import { keys, notes, people } from './people.ts'

await runService([notes, ...people, keys], {
  async ready({ address }) {
    const answers = await Promise.all(['/readyz', '/livez', '/api/v1/notes'].map((path) => fetch(address + path)))
    process.stdout.write(`Filling: ${answers.map(({ status }) => status).join(' ')} ${await answers[0]?.text()}\n`)
  },
})
