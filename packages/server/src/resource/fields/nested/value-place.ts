/** The place of a part of a value, from its name in sentences: `tags[0].weight`. */

const placeName = /^\w+(?:\.\w+|\[\d+\])+$/

/** `tags[0].weight` → `['tags', '0', 'weight']`. Any other name is one step. */
export function stepsOf(name: string): readonly string[] {
  return placeName.test(name) ? name.split(/[.[\]]+/).filter((step) => step !== '') : [name]
}
