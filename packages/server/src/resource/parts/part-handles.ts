/**
 * Parts of an application as its code uses them: `settings.of(shop)`, `services(stripe)`,
 * `mail(welcome, …)`. The types know only the member of a part that they need, so that code and
 * parts are no circle of types.
 */
import type { Fields } from '../fields/field.ts'
import type { NewRecord, RecordOf } from '../record-of.ts'
import type { ServiceSettings } from '../rule.ts'

type SettingsHandle<F extends Fields> = { readonly settings: { readonly fields: F } }
type ServiceHandle<T> = { readonly service: { make(needs: ServiceNeeds): T } }
type MailHandle<V extends Fields> = { readonly mail: { readonly values: V } }

/** The settings of the server, and `of` for those of the application. */
export type CodeSettings = ServiceSettings & {
  /** The values of settings of the application: `settings.of(shopSettings).stripeKey`. */
  of<F extends Fields>(settings: SettingsHandle<F>): RecordOf<F>
}

/** Everything that a service is made from. */
export type ServiceNeeds = { readonly settings: CodeSettings }

/**
 * `services(stripe)`: the result of `make` of this service, which is made at its first use and kept
 * until the server stops.
 */
export type Services = <T>(service: ServiceHandle<T>) => T

/** A mail to one address. `V`: its values. */
export type SentMail<V extends Fields> = {
  /** One address, without a name. */
  readonly to: string
  /**
   * The languages of the reader, as `Accept-Language` has them: `de`, or `de-CH, en;q=0.8`. The
   * mail is in the first one that it has a text for, and else in its own language.
   */
  readonly language?: string | null
} & (Record<never, never> extends NewRecord<V> ? { readonly values?: NewRecord<V> } : { readonly values: NewRecord<V> })

/**
 * `mail(welcome, { to: 'ann@example.com', values: { name: 'Ann' } })`: leaves a mail, which is sent
 * after the commit and tried again until a mail server takes it.
 */
export type SendMail = <V extends Fields>(mail: MailHandle<V>, sent: SentMail<V>) => Promise<void>
