/** The findings of axe in a page that is open in a browser. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Found = {
  readonly id: string
  readonly impact: string
  readonly tags: readonly string[]
  readonly nodes: readonly { readonly html: string; readonly why: string }[]
}

async function findFaults(page: Page, options: object): Promise<readonly Found[]> {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(source)
  const given = JSON.stringify({ resultTypes: ['violations'], preload: false, ...options })
  return (await page.evaluate(
    `axe.run(document, ${given}).then(({ violations }) => violations.map(({ id, impact, tags, nodes }) => ({ id, impact, tags, nodes: nodes.map(({ html, failureSummary }) => ({ html, why: failureSummary })) })))`,
  )) as Found[]
}

function linesOf(found: readonly Found[]): string[] {
  return found.map(({ id, nodes }) => {
    const [first] = nodes
    return `${id} ${nodes.length} times, first: ${first?.html.slice(0, 200)} ${first?.why}`
  })
}

const isSerious = ({ impact }: Found) => impact === 'serious' || impact === 'critical'

/**
 * A line for each rule that is broken and serious or critical, with the first element that breaks
 * it.
 */
export async function seriousFaults(page: Page): Promise<string[]> {
  return linesOf((await findFaults(page, {})).filter(isSerious))
}

/** Breaches of WCAG 2.2 at level A or AA, and all that is serious; by these rules alone. */
export async function wcagFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  const found = await findFaults(page, rules ? { runOnly: rules } : { rules: { 'target-size': { enabled: true } } })
  return linesOf(found.filter((one) => isSerious(one) || one.tags.some((tag) => /^wcag2\d?a{1,2}$/.test(tag))))
}
