/**
 * Filters that are refused: wrong values, operators that do not exist, fields that no caller may
 * read.
 */
import { after, before, test } from 'node:test'
import { importProducts, queryOf } from '../helpers/catalogue.ts'
import { askWith, check, type Scenario, startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
const at = '/api/v1/products'

before(async () => {
  service = await startService()
  admin = await service.admin()
  await importProducts(service, [{ name: 'a', category: 'Tools', price: 10, stock: 5 }])
})
after(() => service.stop())

test('what no filter can be', async (t) => {
  const bad: [string, string][] = [
    ...([
      ['inStock[eq]', 'yes'],
      ['inStock[ne]', ''],
      ['inStock[in]', 'true,1'],
      ['stock', 'x'],
      ['stock', '1.5'],
      ['stock[in]', '1,,2'],
      ['stock[in]', ''],
    ] as [string, string][]),
    ...([
      ['price[in]', '1;2'],
      ['price[null]', '1'],
      ['price[null]', ''],
      ['price[null]', 'TRUE'],
      ['id', 'abc'],
      ['id[in]', 'a,b'],
      ['createdAt[gt]', 'yesterday'],
    ] as [string, string][]),
    ...([
      ['createdAt[gt]', '2026-02-30'],
      ['createdAt[gt]', '2026'],
      ['createdAt[gt]', '1700000000'],
      ['createdAt[lt]', ''],
      ['stock[in]', Array(101).fill('1').join()],
    ] as [string, string][]),
    ...([
      ['price[eq', '1'],
      ['price]', '1'],
      ['price[]', '1'],
      ['price[][gt]', '1'],
      ['price[gt][lt]', '1'],
      ['price[GT]', '1'],
      ['price[like]', '1'],
      ['[gt]', '1'],
    ] as [string, string][]),
    ...([
      ['price[$gt]', '1'],
      ['price[__proto__]', '1'],
      ['price[constructor]', '1'],
      ['price.gt', '1'],
      ['price_gt', '1'],
      ['nothing[gt]', '1'],
      ['row_id[gt]', '0'],
    ] as [string, string][]),
    ...([
      ['inStock[contains]', 't'],
      ['price[contains]', '1'],
      ['price[startsWith]', '1'],
      ['category_folded', 'tools'],
      ['version', '1'],
      ['version[gt]', '0'],
    ] as [string, string][]),
  ]
  const scenarios = bad.map(
    ([name, value]): Scenario => ({
      it: value,
      ask: `GET ${at}${queryOf({ [name]: value })}`,
      status: 400,
      says: name,
      hides: ['success', 'SQL'],
    }),
  )
  await check(t, service.ask, scenarios)
})

test('an operator that the field has not: the sentence says which it takes', async (t) => {
  const order = 'eq, ne, gt, gte, lt, lte, in and null'
  const cases: [string, string][] = [
    ['/products?price[contains]=1', `price[contains] is no filter; price takes ${order}`],
    ['/products?inStock[startsWith]=t', `inStock[startsWith] is no filter; inStock takes ${order}`],
    ['/products?stock[like]=1', `stock[like] is no filter; stock takes ${order}`],
    ['/posts?tags[ne]=x', 'tags[ne] is no filter; tags takes eq, in, contains and null'],
    ['/posts?tags[startsWith]=x', 'tags[startsWith] is no filter; tags takes eq, in, contains and null'],
  ]
  const scenarios = cases.map(
    ([path, error]): Scenario => ({ it: error, ask: `GET /api/v1${path}`, status: 400, error }),
  )
  await check(t, service.ask, scenarios)
})

test('a field that nobody may read is no filter', async (t) => {
  const operators = ['', '[ne]', '[gt]', '[in]', '[contains]', '[startsWith]', '[null]']
  const hidden: [string, string[]][] = [
    ['/users', ['password', 'passwordHash', 'password_hash', 'email_folded', 'search']],
    ['/api-keys', ['key', 'hash', 'keyHash']],
    ['/sessions', ['hash', 'refreshToken']],
    [`/users/${admin.id}/cart/items`, ['cartId']],
  ]
  for (const [path, names] of hidden) {
    const scenarios = names.flatMap((name) =>
      operators.map(
        (operator): Scenario => ({
          it: name,
          ask: `GET /api/v1${path}?${name}${operator}=true`,
          status: 400,
          says: `Unknown query parameter ${name}`,
          hides: ['success'],
        }),
      ),
    )
    await check(t, askWith(service.ask, { token: admin.token }), scenarios)
  }
})
