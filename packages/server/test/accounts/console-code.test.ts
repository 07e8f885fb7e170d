/** The code in the address of the console: good once, for a while, and for one account. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { adminEmail, password, startService, type TestService } from '../helpers/application.ts'

const chosen = { email: 'root@library.example', password: 'a long new password 77' }

describe('the code of the console', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())
  const codes = () => {
    const { consoleCodes } = service.service.engine.identity
    assert.ok(consoleCodes)
    return consoleCodes
  }
  const enter = (body: object) => service.ask('POST', '/api/v1/auth/console-code', { body })

  it('takes over the first account once, before its first log-in, and needs an address and a password', async () => {
    const code = await codes().issue('take-over', adminEmail)
    const other = await codes().issue('take-over', adminEmail)
    assert.equal((await enter({ code })).status, 400)
    assert.equal((await enter({ code, email: chosen.email, password: 'short' })).status, 400)
    const taken = await enter({ code, ...chosen })
    assert.equal(taken.status, 200, taken.text)
    assert.ok(taken.body.accessToken)
    assert.equal((await enter({ code, ...chosen })).status, 401)
    assert.equal((await enter({ code: other, ...chosen })).status, 401)
    assert.equal((await service.ask('POST', '/auth/login', { body: { email: adminEmail, password } })).status, 401)
    assert.equal((await service.ask('POST', '/auth/login', { body: chosen })).status, 200)
    // It has logged in, so no code takes it over.
    assert.equal(await codes().issue('take-over', chosen.email), undefined)
    const { body } = await service.ask('POST', '/auth/login', { body: chosen })
    const sessions = await service.ask('GET', '/api/v1/visits', { token: body.accessToken })
    for (const { id } of sessions.body.data)
      await service.ask('DELETE', `/api/v1/visits/${id}`, { token: body.accessToken })
    assert.equal(await codes().issue('take-over', chosen.email), undefined, 'no session is left')
  })

  it('logs in once, within 15 minutes, and only with the mark of the server', async () => {
    const code = await codes().issue('log-in', chosen.email)
    const second = await codes().issue('log-in', chosen.email)
    const old = await codes().issue('log-in', chosen.email)
    assert.ok(code && second && old)
    const wrong = `${code.slice(0, -2)}${code.endsWith('AA') ? 'BB' : 'AA'}`
    for (const bad of [wrong, 'x', '', '!!', code.slice(0, 20), `${code}AAAA`])
      assert.ok([400, 401].includes((await enter({ code: bad })).status), bad)
    const both = await Promise.all([enter({ code }), enter({ code })])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
    assert.equal((await enter({ code: second })).status, 200)
    service.turn(15 * 60_000 + 1)
    assert.equal((await enter({ code: old })).status, 401)
    assert.equal(await codes().issue('log-in', 'stranger@library.example'), undefined)
  })
})
