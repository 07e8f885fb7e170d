/** Reads the mails that a service writes to its data folder. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestService } from './service.ts'
import { until } from './until.ts'

export type Mail = {
  readonly file: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly token: string
}

export type Mailbox = {
  /** All mails to this address, oldest first. */
  to(address: string): Mail[]
  /** Waits until so many mails to the address are there, and returns the last of them. */
  wait(address: string, count?: number): Promise<Mail>
  /** Waits until nothing waits to be sent. */
  settle(): Promise<void>
}

function parse(folder: string, name: string): Mail {
  const file = join(folder, name)
  const source = readFileSync(file, 'utf8')
  const [head = '', ...rest] = source.split('\r\n\r\n')
  const text = rest.join('\r\n\r\n')
  const header = (one: string) => new RegExp(`^${one}: (.*)$`, 'm').exec(head)?.[1]?.trim() ?? ''
  return { file, to: header('To'), subject: header('Subject'), text, token: /[?&]token=([\w-]+)/.exec(text)?.[1] ?? '' }
}

export function mailboxOf({ folder, service }: Pick<TestService, 'folder' | 'service'>): Mailbox {
  const files = join(folder, 'mail')
  const all = () =>
    (existsSync(files) ? readdirSync(files) : [])
      .filter((name) => !name.startsWith('.'))
      .toSorted()
      .map((name) => parse(files, name))
  const to = (address: string) => all().filter((mail) => mail.to === address)

  return {
    to,
    async wait(address, count = 1) {
      await until(
        () => to(address).length >= count,
        () => `${count} mails to ${address}; there are ${to(address).length}`,
      )
      return to(address).at(-1) as Mail
    },
    async settle() {
      const { catalog, storage } = service.engine
      assert.ok(catalog.outgoingMail)
      await until(
        async () => (await storage.effects.count('mail', 1)) === 0,
        () => 'mails still wait',
      )
    },
  }
}
