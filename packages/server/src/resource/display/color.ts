/** Colours of the console: their contrast with its backgrounds, by WCAG 2.2 (1.4.3). */

export const colorPattern = /^#[0-9a-f]{6}$/i
/** The backgrounds of the console, as `scale.css` has them. */
const papers = { light: '#ffffff', dark: '#111418' } as const
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

/** From 1 to 21. */
export function contrastWithPaper(color: string, theme: Theme): number {
  const [high, low] = [luminanceOf(color), luminanceOf(papers[theme])].sort((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** Mixes it with white until it can be read on the dark background. No colour is right on both. */
export function lightened(color: string): string {
  for (let part = 0; part < 1; part += 0.05) {
    const mixed = channels(color).map((channel) => Math.round(channel + (255 - channel) * part))
    const found = `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
    if (contrastWithPaper(found, 'dark') >= contrastMin) return found
  }
  return '#ffffff'
}
