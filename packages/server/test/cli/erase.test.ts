/** `bindery erase`: its counts, its exit codes, and what it says to a wrong call. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type Bindery, makeBindery, type Ran } from './bindery.ts'

const nobodyId = '01a21ce3-6275-7098-adba-978142160569'

async function userOf(bindery: Bindery, email: string): Promise<string> {
  const [made] = await bindery.values('user', 'create', '--email', email, '--name', 'Ann')
  return String(made?.id)
}

describe('bindery erase', () => {
  it('counts with --dry-run and erases with --yes, by e-mail and by id', async (t: TestContext) => {
    const bindery = makeBindery(t)
    await bindery.run(['migrate'])
    const id = await userOf(bindery, 'ann@example.com')
    const other = await userOf(bindery, 'bob@example.com')

    const [counted] = await bindery.values('erase', 'ann@example.com', '--dry-run')
    assert.deepEqual([counted?.id, counted?.records, counted?.left, counted?.dryRun], [id, { member: 1 }, {}, true])
    assert.ok(Object.hasOwn(counted?.places as object, 'bindery_changes'))
    assert.equal((await bindery.values('user', 'list')).length, 2)
    const told = await bindery.run(['erase', 'ann@example.com', '--dry-run'])
    assert.match(told.stdout, /^Would erase:\n {2}1 member\n/)

    const [erased] = await bindery.values('erase', 'ann@example.com', '--yes')
    assert.deepEqual([erased?.id, erased?.records, erased?.dryRun], [id, { member: 1 }, false])
    const { code, stdout, stderr } = await bindery.run(['erase', other.toUpperCase(), '--yes'])
    assert.deepEqual([code, stdout.split('\n').slice(0, 2)], [0, ['Erased:', '  1 member']])
    assert.match(stderr, /Backups and copies of the log still have the values/)
    assert.deepEqual(await bindery.values('user', 'list'), [])
  })

  it('of a record that is not there ends with 1, and a wrong call with 2', async (t: TestContext) => {
    const bindery = makeBindery(t)
    await bindery.run(['migrate'])
    await userOf(bindery, 'ann@example.com')
    const wrong: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['nobody@example.com', '--yes'], 1, /^error: Member not found\n$/],
      [[nobodyId, '--dry-run'], 1, /^error: Member not found\n$/],
      [['7', '--of', 'shelves', '--yes'], 1, /^error: Shelf not found\n$/],
      [['x', '--of', 'shelves', '--yes'], 2, /^error: x is no id: the ids of shelves are numbers\n$/],
      [['7', '--of', 'zebras', '--yes'], 2, /unknown resource zebras/],
      [['ann@example.com'], 2, /no terminal to confirm the erasure: pass --yes, or --dry-run to count first/],
      [['', '--yes'], 2, /is empty/],
    ]
    for (const [args, code, says] of wrong) {
      const ran: Ran = await bindery.run(['erase', ...args])
      assert.deepEqual([ran.code, ran.stdout], [code, ''], args.join(' '))
      assert.match(ran.stderr, says)
    }
    const { code, stderr } = await bindery.run(['erase', nobodyId, '--yes', '--json'])
    assert.deepEqual([code, JSON.parse(stderr)], [1, { error: 'Member not found' }])
    assert.equal((await bindery.values('user', 'list')).length, 1)
  })
})
