/** The differing words of two texts. */
import fc from 'fast-check'
import t from 'tap'
import { differencesOf, type Piece } from '../../web/common/text-edit/differences.ts'

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
