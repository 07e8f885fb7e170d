/** The findings of axe in a page that is open in a browser. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Found = { readonly id: string; readonly impact: string; readonly nodes: { readonly html: string }[] }

/**
 * A line for each rule that is broken and serious or critical, with the first element that breaks
 * it.
 */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const found = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => ({ html })) })))",
  )) as Found[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id} ${nodes.length} times, first: ${nodes[0]?.html.slice(0, 200)}`)
}
