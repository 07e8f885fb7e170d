/**
 * `npm run lint:openapi`: lints the shop's document with Spectral and Redocly. Together they are
 * 175 packages, one of which reports installs, and take half a minute. So they are no dependencies:
 * the program installs them into a folder of their own, without scripts.
 */
import { readFileSync } from 'node:fs'
import { installTools } from '../apps/shop/test/helpers/tool-folder.ts'

const packages = [
  '@stoplight/spectral-core@1.24.1',
  '@stoplight/spectral-parsers@1.0.5',
  '@stoplight/spectral-rulesets@1.23.1',
  '@stoplight/spectral-owasp-ruleset@2.0.1',
  '@redocly/openapi-core@2.64.0',
]

/** Each kind of the OWASP rules that stays, and why. Any other kind is a failure. */
const waived: Readonly<Record<string, string>> = {
  'api1:2023-no-numeric-ids': 'the ids of one open collection, as its interface has them',
  'api2:2023-jwt-best-practices': 'RFC 8725 is in the words of the scheme; the rule asks for a form of OAuth',
  'api2:2023-no-api-keys-in-url': 'offered for those who cannot send headers, and told so',
  'api2:2023-read-restricted': 'health and the document are open to anyone',
  'api2:2023-write-restricted': 'a log-in is open to anyone',
  'api4:2023-array-limit': 'whole collections have no end; lists of names have theirs in the introduction',
  'api4:2023-integer-format': 'a page number has no format',
  'api4:2023-integer-limit': 'a page number has no end within reach',
  'api4:2023-rate-limit-responses-429': 'health is answered at any rate',
  'api4:2023-string-limit': 'formats and streams of lines; names have their number in the introduction',
  'api4:2023-string-restricted': 'texts that people write have no pattern',
  'api8:2023-define-cors-origin': "a setting of the deployment, and a browser's business",
  'api8:2023-define-error-responses-401': 'a log-in and health ask for no credential',
  'api8:2023-no-server-http': 'the address of a document is where it was read',
  'api9:2023-inventory-access': 'one document, for every client',
  'api9:2023-inventory-environment': 'the address of a document is where it was read',
}
const owaspMax = 300

const file = new URL('../apps/shop/openapi.json', import.meta.url)

type Finding = { readonly code: string; readonly path?: readonly string[]; readonly message: string }

const { load } = installTools('bindery-lint', packages)

async function spectral(text: string, ruleset: unknown, which: 'recommended' | 'all'): Promise<Finding[]> {
  const { Spectral, Document } = load('@stoplight/spectral-core')
  const linter = new Spectral()
  linter.setRuleset({ extends: [[ruleset, which]] })
  return linter.run(new Document(text, load('@stoplight/spectral-parsers').Json, 'openapi.json'))
}

async function redocly(source: string): Promise<Finding[]> {
  const { lintFromString, createConfig } = await import(load.resolve('@redocly/openapi-core'))
  const config = await createConfig({ extends: ['recommended-strict'] })
  const found = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  return found.map(({ ruleId, message }: { ruleId: string; message: string }) => ({ code: ruleId, message }))
}

const text = readFileSync(file, 'utf8')
const bad = [
  ...(await spectral(text, load('@stoplight/spectral-rulesets').oas, 'recommended')),
  ...(await redocly(text)),
]
const owaspRules = load('@stoplight/spectral-owasp-ruleset')
const owasp = await spectral(text, owaspRules.default ?? owaspRules, 'all')
const unknown = owasp.filter(({ code }) => !Object.hasOwn(waived, code.replace('owasp:', '')))
for (const [code, found] of Map.groupBy(owasp, ({ code }) => code.replace('owasp:', '')))
  process.stdout.write(`${String(found.length).padStart(4)}  ${code}: ${waived[code] ?? 'not waived'}\n`)
for (const { code, path = [], message } of [...bad, ...unknown])
  process.stdout.write(`${code} ${path.join('.')}: ${message}\n`)
process.stdout.write(
  `Spectral (oas) and Redocly: ${bad.length}. OWASP: ${owasp.length}, ${owasp.length < owaspMax ? 'under' : 'not under'} ${owaspMax}.\n`,
)
process.exitCode = bad.length > 0 || unknown.length > 0 || owasp.length >= owaspMax ? 1 : 0
