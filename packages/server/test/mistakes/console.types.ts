/** Compile-time tests: misspelt names in `defineConsole` must not compile. */
import { accounts, defineConsole, defineResource, defineResources, id, money, owner, text } from '../../src/index.ts'

const product = defineResource({ name: 'product', fields: { id: id(), name: text(), price: money() }, access: {} })
const all = [product, ...accounts({ roles: ['USER', 'ADMIN'] })] as const
const file = './page.js'

export const right = defineResources([
  ...all,
  defineConsole({
    accent: { light: '#8a3b12', dark: '#f0b090' },
    modules: { 'pages/report': file, 'cells/product.price': { file, label: { de: 'Preis' } }, 'widgets/color': file },
  }),
])

// @ts-expect-error a misspelt member
defineConsole({ acent: '#8a3b12' })
// @ts-expect-error a place that there is not
defineConsole({ modules: { 'page/report': file } })
// @ts-expect-error a rule about a record
defineConsole({ access: owner('id') })
// @ts-expect-error a resource that is not there
defineResources([...all, defineConsole({ modules: { 'cells/prodct.price': file } })])
// @ts-expect-error a field that is not there
defineResources([...all, defineConsole({ modules: { 'widgets/product.prcie': file } })])
// @ts-expect-error a resource that is not there
defineResources([...all, defineConsole({ modules: { 'actions/prodct.print': file } })])
