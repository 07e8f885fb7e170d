/**
 * The scale of the console. Its page of the reference has every value, and its colours can be read.
 * No other style sheet has figures or colours of its own.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const root = join(import.meta.dirname, '../../../..')
const folder = join(root, 'packages/console/src/style')
const withoutComments = (css: string) => css.replace(/\/\*[\s\S]*?\*\//g, '')
const scale = withoutComments(readFileSync(join(folder, 'scale.css'), 'utf8'))
const properties = new Map(
  [...scale.slice(0, scale.indexOf('@media')).matchAll(/(--[\w-]+): (.*);/g)].map(([, name, value]) => [name, value]),
)

/** `1px` is a line. Figures of `@media` cannot be properties. */
const figure = /(?<![\w-])(?!1px\b)\d*\.?\d+(?:px|r?em|pt|ch)\b/
const colour = /#[0-9a-f]{3,8}\b|(?:rgb|hsl|oklch|lab)a?\(/i
const widths = ['48rem', '60rem']

function ownValues(css: string): string[] {
  return withoutComments(css)
    .split('\n')
    .filter((line) => {
      const isAllowed = line.startsWith('@media') && widths.some((width) => line.includes(width))
      return !isAllowed && (figure.test(line) || colour.test(line))
    })
}

function luminanceOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(one: string, other: string): number {
  const [high = 0, low = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

describe('the scale of the console', () => {
  it('is the one place with figures and colours', () => {
    for (const file of globSync('*.css', { cwd: folder }))
      if (file !== 'scale.css')
        assert.deepEqual(
          ownValues(readFileSync(join(folder, file), 'utf8')),
          [],
          `${file}: take a property of scale.css`,
        )
    assert.equal(ownValues('a {\n  width: 3rem;\n  color: #fff;\n  margin: 1px;\n}').length, 2)
  })

  it('stands in the reference as it is', () => {
    const page = readFileSync(join(root, 'docs/reference/console-scale.md'), 'utf8')
    for (const [name, value = ''] of properties) {
      const [light, dark] = /^light-dark\((\S+), (\S+)\)$/.exec(value)?.slice(1) ?? []
      const said = light ? `| \`${name}\` | \`${light}\` | \`${dark}\` |` : `\`${value}\``
      assert.ok(page.includes(said) && page.includes(`\`${name}\``), `docs/reference/console-scale.md lacks ${said}`)
    }
    for (const [, name] of page.matchAll(/`(--[\w-]+)`/g)) assert.ok(properties.has(name), `there is no ${name}`)
  })

  for (const [at, theme] of ['light', 'dark'].entries())
    it(`can be read, ${theme}`, () => {
      const shown = (name: string) => /light-dark\((\S+), (\S+)\)/.exec(properties.get(name) ?? '')?.[at + 1] ?? ''
      for (const back of ['--paper', '--panel', '--chosen'])
        for (const text of ['--ink', '--quiet', '--accent', '--good', '--bad'])
          assert.ok(contrastOf(shown(text), shown(back)) >= 4.5, `${text} on ${back}`)
      assert.ok(contrastOf(shown('--on-accent'), shown('--accent')) >= 4.5)
      for (const back of ['--paper', '--panel']) assert.ok(contrastOf(shown('--field'), shown(back)) >= 3, back)
    })
})
