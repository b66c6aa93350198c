/** The differing words of two texts. */
import fc from 'fast-check'
import t from 'tap'
import { differencesOf, mergedText, type Piece } from '../../web/common/text-edit/differences.ts'
import { rounds } from '../rounds.ts'

const marked = (pieces: readonly Piece[]) =>
  pieces.map(({ text, isDifferent }) => (isDifferent ? `[${text}]` : text)).join('')
const show = (theirs: string, yours: string) => {
  const found = differencesOf(theirs, yours)
  return [marked(found.theirs), marked(found.yours)]
}

t.test('marks the words that the other text lacks', async (t) => {
  t.strictSame(show('Rewrite all pages', 'Rewrite some pages'), [
    'Rewrite [all] pages',
    'Rewrite [some] pages',
  ])
  t.strictSame(show('a b c d', 'a x b d'), ['a [b] [c] d', 'a [x] [b] d'])
  t.strictSame(show('same', 'same'), ['same', 'same'])
  t.strictSame(show('', 'all'), ['', '[all]'])
})

t.test('keeps both texts complete, and unmarked parts are equal', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n', '  ')).map((words) => words.join(''))
  fc.assert(
    fc.property(text, text, (a, b) => {
      const { theirs, yours } = differencesOf(a, b)
      const whole = (pieces: readonly Piece[]) => pieces.map((piece) => piece.text).join('')
      const common = (pieces: readonly Piece[]) => whole(pieces.filter(({ isDifferent }) => !isDifferent))
      return whole(theirs) === a && whole(yours) === b && common(theirs) === common(yours)
    }),
  )
})

t.test('does not compare long, completely different texts word by word', async (t) => {
  const long = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`).join(' ')
  const { theirs, yours } = differencesOf(`same ${long('a')}`, `same ${long('b')}`)
  t.strictSame(
    [theirs, yours].map((pieces) => pieces.map(({ isDifferent }) => isDifferent)),
    [
      [false, true],
      [false, true],
    ],
  )
})

t.test('merges two changes that do not touch each other', async (t) => {
  const merged = (theirs: string, yours: string) => mergedText('one two three four', theirs, yours)
  t.equal(merged('ONE two three four', 'one two three FOUR'), 'ONE two three FOUR')
  t.equal(merged('one two three four five', 'zero one two three four'), 'zero one two three four five')
  t.equal(merged('three four', 'one two three'), 'three', 'what either removes is gone')
  t.equal(merged('one 2 three four', 'one 2 three 4'), 'one 2 three 4', 'the same change is there once')
  t.equal(merged('one 2 three four', 'one II three four'), undefined)
  t.equal(merged('one 2 three four', 'one three four'), undefined)
  t.equal(merged('one two three four five', 'one two three four, six'), undefined)
  t.equal(mergedText('', 'theirs', 'yours'), undefined)
})

t.test('a merged text has the change of each', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n')).map((words) => words.join(''))
  fc.assert(
    fc.property(text, text, text, (before, theirs, yours) => {
      const both = [mergedText(before, theirs, yours), mergedText(before, yours, theirs)]
      return (
        both[0] === both[1] &&
        mergedText(before, theirs, before) === theirs &&
        mergedText(before, before, yours) === yours &&
        mergedText(before, yours, yours) === yours
      )
    }),
    { numRuns: rounds(300) },
  )
})
