/**
 * Accounts are a separable feature: the rest of the engine uses only the interface that they
 * export. The test counts the lines outside that name parts of accounts, by a list of words.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../src', import.meta.url))

/**
 * The things of accounts: log-ins, sessions, keys, factors, others' log-ins, mails, audit. That a
 * principal is a user, with a role, perhaps by a key, is of the core itself.
 */
const words =
  /accounts?\b|log-?ins?(?!k)|log in\b|session|api[-_ ]?key|factor|enrol|passkey|password|recover|mail|audit|linked-?account|oidc|one-?time-?token|refresh-?(token|cookie)|isVerification/i

/**
 * Same words, other things. The author and the principal of a request name its session, and a
 * virtual field shows whether it is the reader's. A text may have the form of an email address.
 */
const others = [
  /sessionId|current-session|'session'|\bsession:|graphiql-session/g,
  /emails?\b|\w*Email/g,
  // The rule that asks for a key: a fact of the principal, as a role is.
  /ApiKeyRule|apiKeyType|\bapiKey<|machine is called apiKey now|rules\/api-key|\{ apiKey \}|^ *'apiKey',$/g,
  // Mails that an application declares, which are parts of it and need no accounts.
  /\w*(?:Mails?|mail)(?:Type|KindName|Kind|Declaration)\b|\b(?:bound|guarded|outside|define|Declared|Send|Sent)Mails?\b/g,
  /(?:define|waiting|leave|outside)-mail|mail-values|'\.\.\/mails\/|record\/mails\/|\bmail: (?=\(\(tx\))/g,
  // The mails of a test's service, of whichever kind.
  /\bSentOutMail\b|\bsentMails\b|\bmailSent\b|mails\/mail-kind/g,
  // GraphiQL's own element, connections to PostgreSQL, how long a retry waits, a folder of npm.
  /[sS]essions?(?=Sql|Wish|Waits|s\.)|[bB]ackoff|\bfactor: number|firstMs \* factor|--no-audit/g,
]

/** They know no word of accounts. */
const without = ['perform', 'record', 'policy', 'rest', 'openapi', 'graphql', 'cli']

/**
 * Rooms that belong to accounts or their mails, or are built on them (tenancy, webhooks). The
 * wiring, and the variables that configure them.
 * The marks by which the catalog finds their tables. The parts of the client, which run in browsers
 * and import nothing of the engine.
 */
const own =
  /^(accounts|mail|service|settings|tenancy|webhooks)\/|^config\.ts$|^resource\/accounts\/|^client\/identity\/|^testing\/people\.ts$/

/** A database has sessions and passwords of its own. */
const ofServers = /^storage\/postgres\/|^testing\/postgres\.ts$/

/** Mails of applications. */
const ofParts = /^(resource\/parts|record\/mails)\/|^code\/outside-mail\.ts$/

const mostLines = 300

function commentless(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

/** `['rest/parse-operation.ts: const { factor } = catalog']` */
const engineFiles = globSync('**/*.ts', { cwd: root }).filter((file) => !ofParts.test(file))
const naming = engineFiles.flatMap((file) =>
  commentless(readFileSync(join(root, file), 'utf8'))
    .split('\n')
    .filter((line) => words.test(others.reduce((left, other) => left.replaceAll(other, ''), line)))
    .map((line) => ({ file, line: line.trim() })),
)
const roomOf = (file: string) => file.split('/')[0] as string

test('what judges, performs, stores and carries names nothing of accounts: features hand over what they have', () => {
  const found = naming.filter(({ file }) => without.includes(roomOf(file)))
  assert.deepEqual(
    found.map(({ file, line }) => `${file}: ${line}`),
    [],
  )
})

test(`at most ${mostLines} lines outside of their own rooms name what belongs to accounts`, () => {
  const found = naming.filter(({ file }) => !own.test(file) && !ofServers.test(file))
  const rooms = Map.groupBy(found, ({ file }) => roomOf(file))
  const counts = Object.fromEntries([...rooms].map(([room, lines]) => [room, lines.length]))
  assert.ok(found.length <= mostLines, `${found.length} lines: ${JSON.stringify(counts)}`)
})
