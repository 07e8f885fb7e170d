/** Compile-time tests: mistakes in parts of an application must not compile. */
import {
  defineResource,
  defineResources,
  defineSettings,
  id,
  integer,
  reference,
  type SettingsOf,
  text,
} from '../../src/index.ts'

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
