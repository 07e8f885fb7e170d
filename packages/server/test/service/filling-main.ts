/** An application that fills itself when it listens: it says what `/readyz` answers meanwhile. */
import { runService } from '../../src/index.ts'
import { keys, notes, people } from './people.ts'

await runService([notes, ...people, keys], {
  async ready({ address }) {
    const answers = await Promise.all(['/readyz', '/livez', '/api/v1/notes'].map((path) => fetch(address + path)))
    process.stdout.write(`Filling: ${answers.map(({ status }) => status).join(' ')} ${await answers[0]?.text()}\n`)
  },
})
