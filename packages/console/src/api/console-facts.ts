/**
 * The application's look of its console, which the page has before the log-in. The server tells its
 * modules to the callers whom the console admits.
 */
import type { ConsoleDescription, ModuleDescription } from 'bindery-server/client'
import { client } from './client.ts'
import { inLanguage } from './declarations.ts'
import { ofAllTenants } from './viewing.ts'

const said = document.querySelector<HTMLMetaElement>('meta[name="bindery-console-look"]')?.content

export const look: Pick<ConsoleDescription, 'name' | 'logo' | 'accent'> =
  said === undefined ? { name: 'Bindery' } : JSON.parse(said)

let modules: readonly ModuleDescription[] = []

/** Throws the server's error: its status is 403 where the console does not admit the caller. */
export async function loadFacts(): Promise<void> {
  if (said === undefined) return
  // An owner of one tenant is admitted, and the rules decide what the caller sees of another.
  const { body } = await client.send('GET', '/api/v1/_console', { headers: ofAllTenants })
  modules = (body as ConsoleDescription).modules.map(inLanguage)
}

/** `findModule('cells/product.price')` */
export function findModule(name: string): ModuleDescription | undefined {
  return modules.find((one) => one.name === name)
}

/** `modulesOf('actions/order.')` */
export function modulesOf(start: string): readonly ModuleDescription[] {
  return modules.filter(({ name }) => name.startsWith(start))
}

/** Sets the colours by script: the policy of the page allows no style element. */
export function applyAccent(): void {
  const { accent } = look
  if (!accent) return
  const { style } = document.documentElement
  style.setProperty('--accent', `light-dark(${accent.light}, ${accent.dark})`)
  style.setProperty('--on-accent', 'light-dark(#ffffff, #111418)')
  style.setProperty('--chosen', 'color-mix(in srgb, var(--accent) 14%, var(--paper))')
}
