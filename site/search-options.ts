/**
 * The site's search: MiniSearch in the browser, with an index that is built with the pages.
 * VitePress sends these functions to browsers as text, so each refers to nothing outside of itself.
 */

/** A word as it is indexed and asked for. Words of questions, such as `how do I`, find nothing. */
export function processTerm(term: string): string | null {
  const word = term.toLowerCase()
  const unsaid =
    /^(?:a|an|and|are|as|at|be|by|can|could|do|does|for|from|have|has|how|i|if|in|into|is|it|its|me|my|of|on|or|our|should|so|that|the|their|then|there|this|to|we|what|when|where|which|who|why|will|with|would|you|your)$/
  return unsaid.test(word) ? null : word
}

export const searchOptions = {
  miniSearch: {
    options: { processTerm },
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 1, titles: 2 } },
  },
  /**
   * Records of decisions are about their day, pages of folders repeat titles, and the list of ASVS
   * is for auditors: none is found.
   */
  async _render(source: string, env: { relativePath: string }, md: { render(source: string, env: object): string }) {
    return /^decisions\/|\/(?:index|asvs)\.md$/.test(env.relativePath) ? '' : md.render(source, env)
  },
}
