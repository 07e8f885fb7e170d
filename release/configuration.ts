/**
 * `npm run golden` writes docs/reference/configuration.md with this program: every variable, from
 * its declaration.
 */
import type { Variable } from '../packages/server/src/base/environment.ts'
import { variableGroups, variables } from '../packages/server/src/config.ts'
import { issuerVariables, providerVariables } from '../packages/server/src/settings/federation-settings.ts'

const head = `---
title: Environment variables
---

# Environment variables

For operators who configure a server. The sources make this page: \`npx bindery start --help\` prints the same list.

- The server reads the environment at start, and before that the file \`.env\` of its folder.
- A bad value stops the start with one line and exit code 1: \`WORKERS must be a number from 1 to 64, not 100\`.
- An empty value counts as no value.
- A name that is almost the name of a variable is reported at start and by \`npx bindery doctor\`.
`

const files = (names: readonly string[]) => `## Secrets from files

\`NAME_FILE\` names a file that holds the value of \`NAME\`, as containers and vaults hand out secrets. The end of the last line is not part of the value. Setting both stops the start: \`JWT_SECRET_FILE is set, and JWT_SECRET too: leave one out\`. The server reads the files at start. It reads the file of \`DATABASE_URL\` again for each connection ([the address of PostgreSQL](database-address.md#a-password-that-changes)).

Variables with this form: ${names.map((name) => `\`${name}\``).join(', ')}.
`

/** `false: no cache` → `` `false`: no cache. `` */
function sentence(text: string): string {
  const named = text.replace(/^(false|off|on|always|required|1 to 4)(?=[:, ])/, '`$1`')
  const whole = /^(`|sqlite:)/.test(named) ? named : `${named.charAt(0).toUpperCase()}${named.slice(1)}`
  return whole.endsWith('.') ? whole : `${whole}.`
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/(?<!`)<(?=[a-z])/g, '\\<')

function row({ name, takes, value, about, more, isSecret }: Variable): string {
  const meaning = [sentence(about), more, isSecret && `Also \`${name}_FILE\`.`].filter(Boolean).join(' ')
  return `| \`${name}\` | ${cell(takes)} | ${value === '' ? '' : `\`${value}\``} | ${cell(meaning)} |`
}

function table(rows: readonly Variable[]): string {
  return ['| Variable | Takes | Default | Meaning |', '|---|---|---|---|', ...rows.map(row)].join('\n')
}

const secret = [...variables, ...providerVariables].filter(({ isSecret }) => isSecret).map(({ name }) => name)
const groups = variableGroups.map((group) => `## ${group.title}\n\n${table(group.variables)}\n`)
const providers = `## An identity provider\n\nEach name in \`OIDC_PROVIDERS\` has these variables. \`NAME\` is the name in capitals, with \`_\` for \`-\`.\n\n${table(providerVariables)}\n`
const issuers = `## A trusted issuer\n\nEach name in \`JWT_TRUSTED_ISSUERS\` has these variables, and all are required.\n\n${table(issuerVariables)}\n`

process.stdout.write([head, files(secret), ...groups, providers, issuers].join('\n').trimEnd().concat('\n'))
