/** Colours of the console: their contrast with its backgrounds, by WCAG 2.2 (1.4.3). */

export const colorPattern = /^#[0-9a-f]{6}$/i
/** The backgrounds of the console, as `scale.css` has them: paper, and panel. */
const papers = { light: ['#ffffff', '#f5f6f8'], dark: ['#111418', '#1b2027'] } as const
/** The part of the accent in the background of what is chosen. */
const chosenPart = 0.14
export const contrastMin = 4.5

type Theme = keyof typeof papers

function channels(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mixed(color: string, other: string, part: number): string {
  const others = channels(other)
  const sums = channels(color).map((channel, at) => Math.round(channel * part + (others[at] ?? 0) * (1 - part)))
  return `#${sums.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

function contrastOf(one: string, other: string): number {
  const [high, low] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** The least with the backgrounds of a theme, from 1 to 21. */
export function leastContrast(color: string, theme: Theme): number {
  const [paper, panel] = papers[theme]
  return Math.min(...[paper, panel, mixed(color, paper, chosenPart)].map((one) => contrastOf(color, one)))
}

/** Mixes it with white until it can be read on the dark backgrounds. No colour is right on both. */
export function lightened(color: string): string {
  for (let part = 0; part < 1; part += 0.05) {
    const found = mixed('#ffffff', color, part)
    if (leastContrast(found, 'dark') >= contrastMin) return found
  }
  return '#ffffff'
}
