/** Uploads that wait for their records are bounded, for each caller and for each address. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { receiveUpload } from '../../src/files/uploads/receive-upload.ts'
import { accounts, anyone, type DeclaredResource, defineResource, file, id, user } from '../../src/index.ts'
import { anonymous } from '../../src/resource/principal.ts'
import { startService } from '../../src/testing/index.ts'
import { objectsOf, roomOf, rowsOf, uploadFor } from './sample-files.ts'

const open = defineResource({
  name: 'leaf',
  plural: 'leaves',
  path: '/leaves',
  fields: { id: id(), scan: file() },
  list: { style: 'page' },
  access: { read: anyone, create: anyone, update: user },
})

it('of a caller and of an address', async (t) => {
  const service = await startService([...accounts({ roles: ['USER', 'ADMIN'] }), open] as readonly DeclaredResource[], {
    env: { RATE_LIMIT: '', UPLOADS_WAITING: '3', UPLOADS_WAITING_BYTES: '1 kB', UPLOADS_KEEP: '2h' },
  })
  t.after(() => service.stop())
  const [ann, ben] = [await service.person(), await service.person()]
  const { settings } = { settings: { waitingMax: 3, waitingBytesMax: 1_000, uploadKeptMs: 7_200_000 } }
  const room = { ...roomOf(service), settings: { ...roomOf(service).settings, ...settings } }
  const resource = service.service.engine.catalog.get('leaf')
  const upload = (caller: unknown, address: string, size?: number) =>
    receiveUpload(
      room,
      { resource, field: 'scan', caller: caller as never, tenant: null, address },
      {
        name: 'a',
        type: undefined,
        size,
        bytes: (async function* () {
          yield Buffer.alloc(size ?? 10, 'a')
        })(),
      },
    )
  const principal = async ({ token }: { token: string }) =>
    service.service.engine.identity.identify(
      { authorization: `Bearer ${token}`, keyHeader: undefined, keyParameter: undefined },
      { machine: false },
    )
  const [asAnn, asBen] = [await principal(ann), await principal(ben)]
  const tooMany = { code: 'too-many-requests', message: /Too many uploads wait/ }
  const ids = []
  for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) ids.push((await upload(asAnn, address)).id)
  await assert.rejects(upload(asAnn, '10.0.0.4'), tooMany)
  await upload(asBen, '10.0.0.1')
  await upload(anonymous, '10.0.0.1')
  await assert.rejects(upload(anonymous, '10.0.0.1'), tooMany)
  await upload(anonymous, '10.0.0.9')
  await assert.rejects(upload(asBen, '10.0.0.8', 995), tooMany)
  // One that a record takes waits no more.
  const made = await service.ask('POST', '/api/v1/leaves', { body: { scan: ids[0] }, token: ann.token })
  assert.equal(made.status, 201, made.text)
  await upload(asAnn, '10.0.0.4')
  service.turn(3 * 3_600_000)
  await service.sweep()
  assert.deepEqual(
    (await rowsOf(service)).map((row) => row.id),
    [ids[0]],
  )
  assert.equal(objectsOf(service).length, 2)
  await upload(asAnn, '10.0.0.1')
  await uploadFor(service, await service.logIn(ben.email), { resource: 'leaf', field: 'scan', bytes: Buffer.from('x') })
})
