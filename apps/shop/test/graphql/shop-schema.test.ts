/**
 * schema.graphql matches the shop's declarations, with the directive and the guards of the
 * interface.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { printed } from '../helpers/printed.ts'

/** The schema without its descriptions, and with arguments on one line as they are then. */
function withoutWords(sdl: string): string {
  const bare = sdl.replaceAll(/^ *"""[\s\S]*?"""\n/gm, '')
  return bare.replaceAll(/\(\n([^()]*?)\n *\)/g, (_all, inner: string) => `(${inner.trim().split(/\n */).join(', ')})`)
}

describe("the shop's schema", () => {
  let sdl: string
  before(async () => {
    sdl = await printed('sdl')
  })

  it('is the committed file', () => {
    const committed = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')
    assert.equal(committed, sdl, 'write it anew: npm run golden')
  })

  it('has the directive and the guards of the interface', () => {
    const lines = [
      'directive @auth(requires: Role = USER) on FIELD_DEFINITION',
      'me: User! @auth\n',
      '): [User!] @auth(requires: ADMIN)\n',
      '): [Post!]\n',
      'createPost(input: CreatePostInput!): Post! @auth\n',
      'deleteUser(id: ID!): Boolean @auth(requires: ADMIN)\n',
      'updatePost(id: ID!, input: UpdatePostInput!, version: Int): Post @auth\n',
      'enum Role {\n  USER\n  EDITOR\n  ADMIN\n}',
      'createUser(input: CreateUserInput!): User\n',
    ]
    const bare = withoutWords(sdl)
    for (const line of lines) assert.ok(bare.includes(line), line)
    assert.doesNotMatch(bare, /\b(hash|RefreshToken|import|export)\b/)
    for (const one of bare.matchAll(/^(?:type|input) (\w+) \{([^}]*)\}/gm)) {
      if (/\bpassword\b/.test(one[2] ?? '')) assert.match(one[1] ?? '', /^(Create|Update|Replace)UserInput$/)
    }
  })

  it('follows the settings', async () =>
    assert.match(
      withoutWords(await printed('sdl', { SIGN_UP: 'closed' })),
      /createUser\(input: CreateUserInput!\): User @auth\(requires: ADMIN\)/,
    ))
})
