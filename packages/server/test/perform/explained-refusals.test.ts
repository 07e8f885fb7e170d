/**
 * Explanations of 200 refusals by random rules. Each names the clauses that refused. None tells of
 * records and fields that the caller may not read.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AskOptions, startService, type TestService } from 'bindery-server/test'
import {
  type Caller,
  evaluate,
  type Note,
  notesWith,
  others,
  randomRules,
  ruleAt,
  type Vault,
  vaults,
} from './vault-notes.ts'

const refusalsWanted = 200
const models = randomRules(40, 40)
const notes = notesWith(models)

type Person = Caller & { readonly by: AskOptions }
let service: TestService
let people: readonly Person[]
let made: readonly Note[]

async function personOf(role: string): Promise<Person> {
  const { id, token } = role === 'ADMIN' ? await service.admin() : await service.person(role)
  return { id, role, by: { token } }
}

before(async () => {
  service = await startService([...others, vaults, notes])
  people = [await personOf('USER'), await personOf('USER'), await personOf('EDITOR'), await personOf('ADMIN')]
  const [first, second] = people.map(({ id }) => id as string) as [string, string]
  const vaultOf = (ownerId: string, isOpen: boolean | null) =>
    service.make('vault', { ownerId, isOpen, word: 'nothing to see' }) as unknown as Promise<Vault>
  const [mine, theirs, bare] = [await vaultOf(first, true), await vaultOf(second, false), await vaultOf(second, null)]
  const noteOf = async (values: Partial<Note>): Promise<Note> => {
    const { vault, ...own } = { authorId: first, state: 'OPEN', size: 3, secret: 'hush', vault: mine, ...values }
    const note = await service.make('note', { ...own, vaultId: vault?.id ?? null })
    return { ...own, vault, id: String(note.id) }
  }
  made = [
    await noteOf({}),
    await noteOf({ vault: theirs, size: 9, secret: 'loud word' }),
    await noteOf({ authorId: second, vault: bare, size: null }),
    await noteOf({ authorId: null, vault: undefined, state: 'CLOSED', secret: 'loud word' }),
    await noteOf({ authorId: second, state: 'DRAFT', vault: theirs }),
  ]
})
after(() => service.stop())

const pathOf = (note: Note, rule: number) => `/api/v1/notes/${note.id}/a${rule}`
const explain = (note: Note, rule: number, by: AskOptions) =>
  service.ask('POST', `${pathOf(note, rule)}?_explain=access`, by)

test('each of 200 refusals is explained by the clauses that refused', async () => {
  let refusals = 0
  for (const [rule, model] of models.entries())
    for (const note of made)
      for (const { by, ...caller } of people) {
        if (refusals === refusalsWanted) return
        const at = `access.a${rule}`
        const done = await service.ask('POST', pathOf(note, rule), by)
        const { status, body, text } = await explain(note, rule, by)
        if (status === 404) {
          const read = await service.ask('GET', `/api/v1/notes/${note.id}`, by)
          assert.deepEqual([read.status, text], [404, read.text])
          continue
        }
        const { allowed, decidedBy, refusal, rules } = body.data
        assert.equal(allowed, done.status < 300, text)
        assert.equal(allowed, evaluate(model, { note, caller }, { at, instead: new Set() }) === 'holds', text)
        assert.ok(decidedBy.length > 0, text)
        for (const place of decidedBy) assert.ok(ruleAt(model, at, place), `${place} is no part of the rule: ${text}`)
        if (caller.role !== 'ADMIN') assert.doesNotMatch(text, /loud word|nothing to see/)
        if (allowed) continue
        refusals += 1
        assert.equal(refusal.message, done.body.error)
        assert.ok(JSON.stringify(rules).includes(`"at":${JSON.stringify(decidedBy[0])}`), text)
        // With the other verdict at the places that it names, the rule would hold.
        if (!model.isHidden)
          assert.equal(evaluate(model, { note, caller }, { at, instead: new Set(decidedBy) }), 'holds', text)
      }
  assert.equal(refusals, refusalsWanted)
})

test('what a caller may not read makes no difference to an explanation', async () => {
  const [, , editor] = people as readonly Person[] as [Person, Person, Person]
  const { records, catalog } = service.service.engine
  const { serviceAuthor } = await import('../../src/storage/changes.ts')
  const hiddenRules = models.flatMap((model, rule) => (model.isHidden ? [rule] : []))
  const note = made[1] as Note
  const explained = async () => {
    const texts: string[] = []
    for (const rule of hiddenRules) texts.push((await explain(note, rule, editor.by)).text)
    return texts
  }
  const before = await explained()
  await records.transaction(serviceAuthor, async (tx) => {
    const vault = (
      await tx.lock(catalog.get('vault'), {
        kind: 'compare',
        field: 'id',
        operator: 'eq',
        value: note.vault?.id as string,
      })
    )?.row
    await tx.change(catalog.get('vault'), vault as never, { isOpen: true })
    const own = (await tx.lock(catalog.get('note'), { kind: 'compare', field: 'id', operator: 'eq', value: note.id }))
      ?.row
    await tx.change(catalog.get('note'), own as never, { secret: 'hush' })
  })
  const now = await explained()
  let alike = 0
  for (const [i, text] of now.entries()) {
    const [was, is] = [JSON.parse(before[i] as string).data, JSON.parse(text).data]
    if (was.allowed !== is.allowed) continue // The caller sees that by trying.
    alike += 1
    assert.equal(text, before[i])
  }
  assert.ok(alike > 3, `${alike}`)
})
