/** A service with files and its command line, for tests of what is done with all of its files. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { loadOnce } from '../../src/base/optional-package.ts'
import type { DeclaredResource } from '../../src/index.ts'
import { databaseOf, startService, type TestService } from '../../src/testing/index.ts'
import { type Bindery, makeBindery } from '../cli/bindery.ts'
import { resources } from './file-resources.ts'
import { png } from './sample-files.ts'

const main = new URL('./files-command.ts', import.meta.url).pathname

/** A service that a test may stop before its end. */
export async function serve(env: Record<string, string>): Promise<TestService> {
  const service = await startService(resources as readonly DeclaredResource[], { env: { RATE_LIMIT: '', ...env } })
  const { stop } = service
  return Object.assign(service, { stop: loadOnce(stop) })
}

type World = { readonly bindery: Bindery; readonly service: TestService; readonly env: Record<string, string> }

export async function world(t: TestContext, always: Record<string, string> = {}): Promise<World> {
  const bindery = makeBindery(t, always, main)
  const env = { DATA_DIR: bindery.folder, ...(await databaseOf(bindery.folder)), ...always }
  const service = await serve(env)
  t.after(() => service.stop())
  return { bindery, env, service }
}

/** A box with a label that has been replaced, and a thing with a photo. */
export async function fill(service: TestService) {
  const ann = await service.person()
  const api = async (method: string, path: string, body: unknown) => {
    const answer = await service.ask(method, `/api/v1${path}`, { body, token: ann.token })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const put = async (path: string, type: string, bytes: string | Buffer) => {
    const headers = { authorization: `Bearer ${ann.token}`, 'content-type': type }
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method: 'PUT',
      headers,
      body: new Uint8Array(Buffer.from(bytes as string)),
    })
    assert.equal(answer.status, 200, await answer.text())
  }
  const box = `/boxes/${(await api('POST', '/boxes', { title: 'Box' })).id}`
  const label = (text: string) => put(`${box}/label`, 'text/plain', text)
  await label('first')
  await label('second')
  const thing = `/things/${(await api('POST', '/things', { title: 'Thing' })).id}`
  await put(`${thing}/photo`, 'image/png', png)
  return { ann, api, label, box, thing }
}

export async function bytesAt(service: TestService, path: string): Promise<Buffer> {
  const { token } = await service.admin()
  const answer = await fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

export async function filesFound(bindery: Bindery, options = {}) {
  const { stdout } = await bindery.run(['doctor', '--deep', '--json'], options)
  const { findings } = JSON.parse(stdout) as { findings: { check: string; level: string; what: string }[] }
  return findings.filter(({ check }) => check === 'files')
}
