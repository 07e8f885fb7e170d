/**
 * Neither a response nor the number of password hashes tells whether an address is known.
 * `equal-times.timed.test.ts` compares the times.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { adminEmail, startService } from '../../src/testing/index.ts'
import { hashesDuring } from '../helpers/hashes.ts'
import { withMails } from '../mail/people.ts'

const service = await startService(withMails, { env: { LOG_LEVEL: 'silent', LOGIN_LINK: 'on' } })
after(() => service.stop())

for (const [path, hashes, bodyOf] of [
  ['/auth/login', 1, (email: string) => ({ email, password: 'wrong horse' })],
  ['/auth/forgot', 0, (email: string) => ({ email })],
  ['/auth/verify', 0, (email: string) => ({ email })],
  ['/auth/login-link', 0, (email: string) => ({ email })],
  ['/auth/reset', 0, (email: string) => ({ token: `${email}-${'x'.repeat(20)}`, password: 'a much longer horse' })],
] as const)
  it(`${path} answers the same for the same work when the address is unknown`, async () => {
    const answers = new Set<string>()
    for (const email of [adminEmail, 'unknown@example.com']) {
      const made = await hashesDuring(async () => {
        const { status, text } = await service.ask('POST', path, { body: bodyOf(email) })
        answers.add(`${status} ${text}`)
      })
      assert.equal(made.length, hashes, email)
      answers.add(made.join())
    }
    assert.equal(answers.size, 2, [...answers].join('; '))
  })
