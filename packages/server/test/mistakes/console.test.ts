/** Wrong arguments of `defineConsole`: the start refuses each with its file and what was meant. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  accounts,
  defineConsole,
  defineTenancy,
  id,
  member,
  owner,
  reference,
  role,
  roleField,
} from '../../src/index.ts'
import { declare, loosely, mistakesOf, thing } from './declaring.ts'

const here = 'packages/server/test/mistakes/console.test.ts'
const people = accounts({ roles: ['USER', 'ADMIN'] })
const file = './console.test.ts'
const own = '../console/own/report.js'

const rows: readonly (readonly [mistake: string, declaration: unknown, ...says: readonly (string | RegExp)[]])[] = [
  ['a misspelt member', { acent: '#000000' }, 'no member "acent"; did you mean "accent"?'],
  ['a colour that is none', { accent: 'red' }, 'accent: must be a colour such as #0b5cc4, and is "red"'],
  [
    'a colour that cannot be read',
    { accent: '#ffcc00' },
    'accent: #ffcc00 has a contrast of 1.4 with the light backgrounds, and needs 4.5: take a darker one',
  ],
  [
    'a colour that cannot be read in the dark',
    { accent: { light: '#0b5cc4', dark: '#0b5cc4' } },
    'accent: #0b5cc4 has a contrast of 2.6 with the dark backgrounds, and needs 4.5: take a lighter one',
  ],
  ['no dark colour', { accent: { light: '#0b5cc4' } }, 'accent: needs dark'],
  ['a logo that is not there', { logo: './logo.png' }, 'logo: there is no file "./logo.png"'],
  ['a logo that is no image', { logo: file }, `logo: "${file}" is no PNG, JPEG, WebP, GIF or SVG`],
  ['a path that leads out', { logo: own }, `logo: "${own}" must begin with ./ and stay below the folder of this file`],
  ['a rule that is a word', { access: 'ADMIN' }, /access: must be one of the rules/],
  ['a misspelt role', { access: role('ADMN') }, /access: .*ADMN/],
  ['a rule about a record', { access: owner('id') }, /access: owner\("id"\) is about the record/],
  ['members without tenants', { access: member() }, /access: member\(\) is about the record/],
  [
    'a module of no place',
    { modules: { 'page/x': file } },
    /modules: "page\/x" is no name such as pages\/stock-report/,
  ],
  ['a folder', { modules: { 'pages/x': './.' } }, /modules.pages\/x: /],
  [
    'a module that browsers cannot run',
    { modules: { 'pages/x': file } },
    `modules.pages/x: "${file}" must be a .js file, which browsers can run`,
  ],
]

const found = (list: readonly unknown[]) => mistakesOf(list).map((line) => line.replace(/^(\S+: )?defineConsole: /, ''))
function assertSays(lines: readonly string[], says: readonly unknown[]) {
  assert.equal(lines.length, says.length, lines.join('\n'))
  lines.forEach((line, at) => {
    const said = says[at]
    if (said instanceof RegExp) assert.match(line, said)
    else assert.equal(line, said)
  })
}

describe('a mistake in the console', () => {
  for (const [mistake, declaration, ...says] of rows)
    it(mistake, () => assertSays(found([...people, loosely(defineConsole, declaration)]), says))

  it('a module of a misspelt resource or field', () => {
    const modules = { 'cells/thnig.name': './x.js', 'widgets/thing.nmae': './x.js' }
    assertSays(found([...people, thing(), loosely(defineConsole, { modules })]), [
      'modules.cells/thnig.name: there is no file "./x.js"',
      'modules.widgets/thing.nmae: there is no file "./x.js"',
      'modules.cells/thnig.name: no resource "thnig"; did you mean "thing"?',
      'modules.widgets/thing.nmae: "thing" has no field "nmae"; did you mean "name"?',
    ])
  })

  it('two consoles', () => {
    assertSays(found([...people, defineConsole({}), defineConsole({})]), [`there is one in ${here} already`])
  })

  it('a role that no membership has', () => {
    const club = declare({ name: 'club', path: '/clubs', fields: { id: id() }, access: {} })
    const fields = { id: id(), clubId: reference('club'), userId: reference('user'), role: roleField() }
    const membership = declare({ name: 'membership', fields, access: {} })
    const said = { members: 'membership', user: 'userId', role: 'role', roles: ['PLAYER', 'OWNER'] } as const
    const all = [...people, club, membership, defineTenancy('club', said)]
    assertSays(found([...all, defineConsole({ access: member('OWNER') })]), [])
    assertSays(found([...all, defineConsole({ access: member('OWNR') })]), [
      'access: member("OWNR"): no such role; did you mean "OWNER"?',
    ])
  })
})
