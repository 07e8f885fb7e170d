/** Compile-time tests: mistakes in parts of an application must not compile. */
import {
  defineMail,
  defineResource,
  defineResources,
  defineSeed,
  defineService,
  defineSettings,
  id,
  integer,
  reference,
  type SendMail,
  type Services,
  type SettingsOf,
  text,
} from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'

const shop = defineSettings({
  fields: { stripeKey: text({ required: true }), copyTo: text(), days: integer({ default: 5 }) },
  secret: ['stripeKey'],
})
const product = defineResource({ name: 'product', fields: { id: id(), name: text() }, access: {} })
export const right = defineResources([product, shop])

declare const values: SettingsOf<typeof shop.settings.fields>
export const key: string = values.stripeKey
export const copyTo: string | null = values.copyTo
export const days: number = values.days
// @ts-expect-error it may be null
export const copy: string = values.copyTo
// @ts-expect-error a misspelt setting
values.stripKey

// @ts-expect-error a misspelt member
defineSettings({ fields: { stripeKey: text() }, secrets: [] })
// @ts-expect-error no such field
defineSettings({ fields: { stripeKey: text() }, secret: ['stripKey'] })
const line = defineResource({ name: 'line', fields: { id: id(), of: reference('settings') }, access: {} })
// @ts-expect-error a part is no resource
defineResources([product, shop, line])

const stripe = defineService({ name: 'stripe', make: ({ settings }) => ({ key: settings.of(shop).stripeKey }) })
const welcome = defineMail({ name: 'welcome', values: { name: text({ required: true }), days: integer() } })
const plain = defineMail({ name: 'plain' })
defineResources([product, shop, stripe, welcome, plain])
declare const services: Services
declare const mail: SendMail
export const made: string = services(stripe).key
mail(plain, { to: 'ann@example.com' })
mail(welcome, { to: 'ann@example.com', values: { name: 'Ann', days: 3 }, language: 'de' })
// @ts-expect-error no such member
services(stripe).kee
// @ts-expect-error no values
mail(welcome, { to: 'ann@example.com' })
// @ts-expect-error a value is missing
mail(welcome, { to: 'ann@example.com', values: { days: 3 } })
// @ts-expect-error a value of another type
mail(welcome, { to: 'ann@example.com', values: { name: 'Ann', days: 'three' } })
// @ts-expect-error a misspelt value
mail(welcome, { to: 'ann@example.com', values: { name: 'Ann', day: 3 } })
// @ts-expect-error a misspelt member
defineService({ name: 'stripe', makes: () => 1 })

const withParts = defineResources([product, shop, stripe, welcome, plain])
export const replaced = () => startService(withParts, { services: { stripe: { key: 'k' } } })
// @ts-expect-error a misspelt service
startService(withParts, { services: { strip: { key: 'k' } } })
// @ts-expect-error a misspelt member of a service
startService(withParts, { services: { stripe: { kee: 'k' } } })
// @ts-expect-error a mail is no service
startService(withParts, { services: { welcome: {} } })

export const demo = defineSeed({
  name: 'demo',
  async run({ put }) {
    const made = await put(product, 'name', { name: 'Tea' })
    made.name?.toUpperCase()
    // @ts-expect-error a misspelt key
    await put(product, 'nam', { name: 'Tea' })
    // @ts-expect-error a misspelt value
    await put(product, 'name', { name: 'Tea', prise: 3 })
  },
})
// @ts-expect-error a misspelt member
defineSeed({ name: 'demo', runs: () => undefined })
