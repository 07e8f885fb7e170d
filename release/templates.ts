/**
 * The templates of a build: those of `packages/server/templates`, and one made from the shop
 * itself.
 */
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const shop = join(root, 'apps/shop')

/** Its declarations, its sample, and the tests that need nothing but the engine. */
const parts = [
  'resources',
  'demo',
  'test/helpers/service.ts',
  'test/helpers/catalogue.ts',
  ...['products', 'reviews', 'carts', 'orders'].map((name) => `test/spec/${name}.test.ts`),
]

const about = `Anyone reads books and products and signs up; users review, buy and write posts. The first start makes an ADMIN, \`admin@localhost\`, and
shows the password once. \`npm run demo\` fills a shop of its own and prints who may log in.

\`\`\`sh
curl 'http://127.0.0.1:3000/api/v1/products?q=cafe&sort=-price&limit=3&fields=name,price'
curl -X POST http://127.0.0.1:3000/books -H 'Content-Type: application/json' -d '{"title":"The Dispossessed","author":"Ursula K. Le Guin"}'
\`\`\`
`

/** The engine can be built, and tested, where the shop is taken away. */
export function copyTemplates(target: string): void {
  cpSync(join(root, 'packages/server/templates'), target, { recursive: true })
  if (!existsSync(shop)) return
  for (const part of parts) {
    const to = join(target, 'shop', part)
    cpSync(join(shop, part), to, { recursive: true })
  }
  writeFileSync(join(target, 'shop/who.md'), about)
}
