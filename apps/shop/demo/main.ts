/**
 * `npm run demo`: a server with a sample catalogue in a data folder of its own, and the lines to
 * try first.
 */
import { styleText } from 'node:util'
import { runService } from 'bindery-server'
import { resources } from '../resources/index.ts'
import { findOpenDoor } from './own-machine.ts'
import { demoPassword, isHalfFilled, rootEmail, seed } from './seed.ts'
import { demoPeople } from './texts.ts'

function paint(format: Parameters<typeof styleText>[0], text: string): string {
  return styleText(format, text, { stream: process.stdout })
}

/** Every line works exactly as printed. */
function guide(address: string): string {
  const [admin] = demoPeople
  const heading = (text: string) => paint('bold', text)
  const people = demoPeople
    .slice(0, 4)
    .map(({ role, email }) => `  ${role.padEnd(6)}  ${email.padEnd(24)}  ${demoPassword}`)
  return [
    '',
    heading('Log in as'),
    ...people,
    '',
    heading('Try'),
    `  curl '${address}/api/v1/products?q=caf%C3%A9&inStock=true&sort=-price&limit=3&fields=name,price'`,
    `  curl -X POST ${address}/books -H 'Content-Type: application/json' -d '{"title":"The Dispossessed","author":"Ursula K. Le Guin","year":1974}'`,
    `  curl -X POST ${address}/auth/login -H 'Content-Type: application/json' -d '{"email":"${admin?.email}","password":"${demoPassword}"}'`,
    '',
    `${heading('GraphiQL')}  ${address}/graphql`,
    `${heading('OpenAPI')}   ${address}/openapi.json`,
    '',
    '',
  ].join('\n')
}

const folder = process.env.DATA_DIR || './data-demo'
const halfFilled = isHalfFilled(folder)
  ? `The demo was stopped while it filled ${folder}: remove it (rm -r ${folder}) and start again`
  : undefined
const refusal = findOpenDoor(process.env.HOST ?? '', process.argv) ?? halfFilled
if (refusal !== undefined) {
  process.stderr.write(`${refusal}\n`)
  process.exit(1)
}

await runService(resources, {
  defaults: { LOG_LEVEL: 'warn', DATA_DIR: folder },
  opensConsole: '/products',
  environment: { ADMIN_EMAIL: rootEmail, ADMIN_PASSWORD: demoPassword },
  async ready({ address, dataDir }) {
    const filled = await seed({ address, dataDir }, (what) => process.stderr.write(`Making ${what} …\n`))
    process.stdout.write(`${filled ? 'The sample catalogue is in' : 'The sample catalogue is still in'} ${dataDir}\n`)
    process.stdout.write(guide(address))
  },
})
