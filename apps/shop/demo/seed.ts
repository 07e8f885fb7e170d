/**
 * Fills an empty shop with the sample catalogue, over HTTP at its own address. Each request is sent
 * as the user that it is about, so the sample obeys the rules that it shows. One user is restored
 * on the command line, because documents name its id.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { demoBooks } from './books.ts'
import { type Client, type Credential, makeClient } from './client.ts'
import { demoPicture } from './pictures.ts'
import { demoProducts } from './products.ts'
import { demoMessages, demoPeople, demoPosts, demoReviews } from './texts.ts'

export const demoPassword = 'bindery-demo'
/** The first ADMIN, who creates everything that needs one. */
export const rootEmail = 'root@demo.example'
const productCount = 1000
const pictureCount = 24
const orderCount = 30

type Person = Credential & { readonly id: string; readonly refreshToken: string }
type Product = { readonly id: string; readonly inStock: boolean; readonly stock: number | null }

async function logIn({ post }: Client, email: string): Promise<Omit<Person, 'id'>> {
  const { accessToken, refreshToken } = await post('/auth/login', { email, password: demoPassword })
  return { token: accessToken, refreshToken }
}

/** Over HTTP the server gives all ids: only an import at the console keeps one. */
async function restorePerson(person: object, dataDir: string): Promise<void> {
  const command = [join(import.meta.dirname, 'console.ts'), 'import', 'users', '-', '--format', 'ndjson']
  const env = { ...process.env, DATA_DIR: dataDir }
  const child = spawn(process.execPath, command, { env, stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end(`${JSON.stringify(person)}\n`)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('The user of the examples was rejected')
}

/** Creates all demo people; logs in those who may, and returns them. */
async function makePeople(client: Client, root: Credential, dataDir: string): Promise<Person[]> {
  const active: { id: string; email: string }[] = []
  for (const person of demoPeople) {
    const whole = { ...person, password: demoPassword }
    if (person.id !== undefined) await restorePerson(whole, dataDir)
    const id = person.id ?? (await client.post('/api/v1/users', whole, root)).id
    if (person.status === 'ACTIVE') active.push({ id, email: person.email })
  }
  return Promise.all(active.map(async ({ id, email }) => ({ id, ...(await logIn(client, email)) })))
}

/**
 * Uses the machine routes, with a key that it deletes afterwards. Returns the products in the order
 * of the import.
 */
async function importProducts(client: Client, root: Credential): Promise<Product[]> {
  const { id, key } = await client.post('/api/v1/api-keys', { name: 'sample catalogue' }, root)
  const { rejected } = await client.postLines('/api/v1/products/import', demoProducts(productCount), { key })
  if (rejected > 0) throw new Error(`${rejected} products of the sample were rejected`)
  const products = await client.getLines('/api/v1/products/export?sort=id', { key })
  await client.remove(`/api/v1/api-keys/${id}`, root)
  return products as Product[]
}

/** The console begins with the newest products. */
async function addPictures({ putPicture }: Client, root: Credential, products: readonly Product[]): Promise<void> {
  const newest = products.slice(-pictureCount)
  await Promise.all(newest.map(({ id }, i) => putPicture(`/api/v1/products/${id}/image`, demoPicture(i), root)))
}

/** The moves that bring an order to each state, so that the sample has orders in all of them. */
const histories = [[], ['pay'], ['pay', 'ship'], ['pay', 'ship', 'deliver'], ['cancel'], ['pay', 'cancel']] as const

async function makeOrders({ post }: Client, root: Credential, sample: { people: Person[]; products: Product[] }) {
  const sellable = sample.products.filter(({ inStock, stock }) => inStock && (stock === null || stock > 5))
  for (let i = 0; i < orderCount; i += 1) {
    const buyer = sample.people[i % sample.people.length] as Person
    const cart = `/api/v1/users/${buyer.id}/cart`
    for (let line = 0; line <= i % 3; line += 1) {
      const { id } = sellable[(i * 13 + line * 7) % sellable.length] as Product
      await post(`${cart}/items`, { productId: id, quantity: 1 + (line % 2) }, buyer)
    }
    const order = await post(`${cart}/checkout`, {}, buyer)
    for (const move of histories[i % histories.length] ?? []) await post(`/api/v1/orders/${order.id}/${move}`, {}, root)
  }
}

/** A file that is there while the shop is being filled. */
const markIn = (dataDir: string) => join(dataDir, 'filling')

/**
 * Whether an earlier demo stopped before it had filled this folder. Its data are then incomplete,
 * and the rest of the sample would not match them.
 */
export const isHalfFilled = (dataDir: string): boolean => existsSync(markIn(dataDir))

/**
 * Returns true if it filled the shop, false if the shop had books already. `progress` is told what
 * is being created.
 */
export async function seed(
  { address, dataDir }: { address: string; dataDir: string },
  progress: (what: string) => void,
): Promise<boolean> {
  const client = makeClient(address)
  const { post } = client
  if ((await client.get('/books?limit=1')).count > 0) return false
  const root = await logIn(client, rootEmail)
  writeFileSync(markIn(dataDir), '')

  progress('people')
  const people = await makePeople(client, root, dataDir)
  const someone = (i: number) => people[i % people.length] as Person
  progress(`${demoBooks.length} books`)
  for (const book of demoBooks) await post('/books', book)
  progress(`${productCount} products`)
  const products = await importProducts(client, root)
  progress(`pictures of ${pictureCount} of them`)
  await addPictures(client, root, products)

  progress('reviews, posts and messages')
  for (const [i, review] of demoReviews.entries())
    await post(`/api/v1/products/${products[(i * 37) % productCount]?.id}/reviews`, review, someone(i))
  for (const [i, demoPost] of demoPosts.entries()) await post('/api/v1/posts', demoPost, someone(i))
  for (const [i, text] of demoMessages.entries())
    await post('/api/v1/messages', { recipientId: someone(i + 1).id, text }, someone(i))

  progress(`${orderCount} orders`)
  await makeOrders(client, root, { people, products })
  for (const { refreshToken } of [root, ...people]) await post('/auth/logout', { refreshToken })
  rmSync(markIn(dataDir))
  return true
}
