/**
 * Live streams and the feed behind nginx, HAProxy and Caddy, with their files of deploy/. Events
 * come at once, silence does not end a stream, and a reader goes on after each restart.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startService } from 'bindery-server/test'
import { removeFolder, temporaryFolder } from '../../../src/testing/index.ts'
import { long } from '../../helpers/long.ts'
import { lacks, makeProxy, proxyPrograms } from '../../helpers/proxies.ts'
import { library } from '../library.ts'
import { makeLiveClient } from './live-client.ts'

const folder = temporaryFolder()
after(() => removeFolder(folder))

/** Longer than the 15 s between two heartbeats, and in place of the 75 s of the files. */
const idleSeconds = 17

for (const program of proxyPrograms)
  test(`live behind ${program}`, { skip: long.skip || lacks(program) }, async (t) => {
    const env = { TRUST_PROXY: '1', DATA_DIR: join(folder, `data of ${program}`) }
    const first = await startService(library(), { on: 'sqlite', env })
    const second = await startService(library(), { on: 'sqlite', env })
    t.after(() => second.stop())
    const proxy = await makeProxy(program, { folder, upstreams: [first], idleSeconds })
    t.after(() => proxy.stop())
    await proxy.start('/readyz')
    const url = `http://127.0.0.1:${proxy.port}`
    const { token } = await first.admin()
    const bearer = { authorization: `Bearer ${token}` }
    const api = `${url}/api/v1`
    async function note(title: string): Promise<void> {
      const body = JSON.stringify({ state: 'OPEN', title })
      const headers = { ...bearer, 'content-type': 'application/json' }
      const { status } = await fetch(`${api}/notes`, { method: 'POST', headers, body })
      assert.equal(status, 201)
    }
    const byHeader = (title: string) => (data: { record: { title: string } }) => data.record.title === title

    const client = makeLiveClient({ url, path: '/notes?_live', headers: bearer })
    t.after(() => client.cut())
    await client.connect()
    await client.next('ready')
    await note('at once')
    await client.next('enter', byHeader('at once'))
    let isOver = false
    void client.ended().then(() => {
      isOver = true
    })
    await new Promise((resolve) => setTimeout(resolve, (2 * idleSeconds + 2) * 1000))
    assert.equal(isOver, false, 'silence ended the stream')
    await note('after silence')
    await client.next('enter', byHeader('after silence'))

    await proxy.stop()
    await client.ended()
    await proxy.start('/readyz')
    await note('while away')
    await client.connect()
    assert.equal((await client.next('ready')).data.resumed, true)
    await client.next('enter', byHeader('while away'))

    const begun = (await (await fetch(`${api}/_changes?resources=notes`, { headers: bearer })).json()) as Feed
    const waits = fetch(`${api}/_changes?resources=notes&wait=15&after=${begun.meta.position}`, { headers: bearer })
    await note('polled')
    const page = (await (await waits).json()) as Feed
    assert.deepEqual(
      page.data.map(({ record }) => record?.title),
      ['polled'],
    )
    await client.next('enter', byHeader('polled'))

    await first.stop()
    const end = await client.next('end')
    assert.equal(end.id, end.data.position)
    await client.ended()
    await proxy.stop()
    const later = await makeProxy(program, { folder, upstreams: [second], idleSeconds })
    t.after(() => later.stop())
    await later.start('/readyz')
    await client.connect(`http://127.0.0.1:${later.port}`)
    assert.equal((await client.next('ready')).data.resumed, true)
    assert.deepEqual([client.table.size, client.losses()], [4, []])
  })

type Feed = {
  readonly data: readonly { readonly record?: { readonly title: string } }[]
  readonly meta: { readonly position: string }
}
