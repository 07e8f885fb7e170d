/**
 * Fills an empty database with the sample catalogue. Everything goes the way of every request, admitted, permitted and performed,
 * so the sample obeys the rules that it shows.
 */
import { randomUUID } from 'node:crypto'
import { checkBody } from '../../../packages/server/src/operation/body.ts'
import type { Operation, Step } from '../../../packages/server/src/operation/operation.ts'
import type { Engine } from '../../../packages/server/src/perform/engine.ts'
import { perform } from '../../../packages/server/src/perform/perform.ts'
import type { RecordResult } from '../../../packages/server/src/perform/result.ts'
import { always } from '../../../packages/server/src/resource/condition.ts'
import type { UserPrincipal } from '../../../packages/server/src/resource/principal.ts'
import { demoBooks } from './books.ts'
import { demoProducts } from './products.ts'
import { demoMessages, demoPeople, demoPosts, demoReviews } from './texts.ts'

export const demoPassword = 'bindery-demo'
const productCount = 1000
const orderCount = 30

type Person = UserPrincipal & { readonly login: string }
type Made = RecordResult['record']

/** One operation by one person, from a resource's name and plain values. */
function makeActor(engine: Engine) {
  const under = (above: readonly (readonly [string, string])[], by: string | undefined) => {
    const steps: Step[] = above.map(([name, id], i) => ({
      resource: engine.catalog.get(name),
      ...(i === 0 ? { id } : { by: id }),
    }))
    return by === undefined ? undefined : { steps, by }
  }
  async function run(principal: UserPrincipal, operation: Operation, name: string): Promise<Made> {
    const target = { resource: operation.resource, operation: name, nested: operation.under !== undefined }
    const permitted = engine.policy.permit(engine.policy.admit(principal, target), operation)
    return ((await perform(engine, permitted)) as RecordResult).record
  }
  return {
    create(
      who: UserPrincipal,
      name: string,
      values: unknown,
      above: readonly (readonly [string, string])[] = [],
      by?: string,
    ) {
      const resource = engine.catalog.get(name)
      const body = checkBody(resource, 'create', engine.policy.visibleTo(who, resource), values)
      return run(who, { kind: 'create', resource, under: under(above, by), select: null, body }, 'create')
    },
    act(
      who: UserPrincipal,
      name: string,
      action: string,
      id: string | undefined,
      above: readonly (readonly [string, string])[] = [],
      by?: string,
    ) {
      const resource = engine.catalog.get(name)
      const common = { resource, under: under(above, by), select: null, ifVersion: undefined }
      return run(who, { kind: 'act', ...common, action, id, input: {} }, action)
    },
  }
}

/** Which moves bring an order to each state, so that the sample has orders in all of them. */
const histories = [[], ['pay'], ['pay', 'ship'], ['pay', 'ship', 'deliver'], ['cancel'], ['pay', 'cancel']] as const

/** True when it was filled now, false when there was something already. `progress` hears what is being made. */
export async function seed(engine: Engine, progress: (what: string) => void): Promise<boolean> {
  if ((await engine.storage.count(engine.catalog.get('book'), always)) > 0) return false
  const root: UserPrincipal = { kind: 'user', userId: randomUUID(), role: 'ADMIN', via: 'console', scopes: null }
  const { create, act } = makeActor(engine)

  progress('people')
  const people: Person[] = []
  for (const { status, ...person } of demoPeople) {
    const user = await create(root, 'user', { ...person, status, password: demoPassword })
    people.push({
      kind: 'user',
      userId: user.id as string,
      role: person.role,
      via: 'console',
      scopes: null,
      login: person.email,
    })
  }
  const active = people.filter((_, i) => demoPeople[i]?.status === 'ACTIVE')
  const someone = (i: number) => active[i % active.length] as Person

  progress(`${demoBooks.length} books`)
  for (const book of demoBooks) await create(root, 'book', book)
  progress(`${productCount} products`)
  const products: Made[] = []
  for (const { inStock, ...product } of demoProducts(productCount))
    products.push(await create(root, 'product', { ...product, inStock }))

  progress('reviews, posts and messages')
  for (const [i, review] of demoReviews.entries()) {
    await create(
      someone(i),
      'review',
      review,
      [['product', products[(i * 37) % productCount]?.id as string]],
      'productId',
    )
  }
  for (const [i, post] of demoPosts.entries()) await create(someone(i), 'post', post)
  for (const [i, text] of demoMessages.entries())
    await create(someone(i), 'message', { recipientId: someone(i + 1).userId, text })

  progress(`${orderCount} orders`)
  const sellable = products.filter(
    (product) => product.inStock && (product.stock === null || (product.stock as number) > 5),
  )
  for (let i = 0; i < orderCount; i += 1) {
    const buyer = someone(i)
    const user = ['user', buyer.userId] as const
    for (let line = 0; line <= i % 3; line += 1) {
      const product = sellable[(i * 13 + line * 7) % sellable.length] as Made
      await create(
        buyer,
        'cartItem',
        { productId: product.id, quantity: 1 + (line % 2) },
        [user, ['cart', 'userId']],
        'cartId',
      )
    }
    const order = await act(buyer, 'cart', 'checkout', undefined, [user], 'userId')
    for (const move of histories[i % histories.length] ?? []) await act(root, 'order', move, order.id as string)
  }
  return true
}
