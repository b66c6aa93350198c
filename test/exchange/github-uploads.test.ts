import t from 'tap'
import { uploadsIn } from '../../src/exchange/sources/github-uploads.ts'
import { cardOf, readAs } from './readers.ts'

const BODY = `See ![the stage](https://github.com/user-attachments/assets/0b1c-image) and
[plan.pdf](https://github.com/user-attachments/files/12/plan.pdf), once more https://github.com/user-attachments/files/12/plan.pdf.
<img width="10" alt="A map" src="https://github.com/user-attachments/assets/map">
https://github.com/verein/fest/assets/77/abc ![](https://user-images.githubusercontent.com/1/k%C3%BCche.png)
[an issue](https://github.com/verein/fest/issues/7) https://example.org/user-attachments-of-others
![x](http://github.com/user-attachments/assets/plain) https://git.verein.example/user-attachments/files/1/a%zz`

t.test('the files in a text are found, with their names, each once', async (t) => {
  t.strictSame(
    uploadsIn(BODY).map(({ name, url }) => `${name} ${url}`),
    [
      'the stage https://github.com/user-attachments/assets/0b1c-image',
      'plan.pdf https://github.com/user-attachments/files/12/plan.pdf',
      'A map https://github.com/user-attachments/assets/map',
      'abc https://github.com/verein/fest/assets/77/abc',
      'küche.png https://user-images.githubusercontent.com/1/k%C3%BCche.png',
      'a%zz https://git.verein.example/user-attachments/files/1/a%zz',
    ],
  )
})

t.test('the files of an item become attachments, and its text stays', async (t) => {
  const body = '![Bühne](https://github.com/user-attachments/assets/1)'
  const items = [{ id: 'PVTI_a', title: 'A', content: { body } }]
  const card = cardOf(await readAs('github', JSON.stringify({ items })), 'PVTI_a')
  t.equal(card.description, body)
  t.match(card.attachments, [{ name: 'Bühne', url: 'https://github.com/user-attachments/assets/1' }])
  t.strictSame(card.rest, {})
})

t.test('a hostile text takes no longer than its length', async (t) => {
  for (const part of ['[', 'https://', 'https://github.com/user-attachments/assets/', 'alt="'])
    t.same(uploadsIn(part.repeat(200_000 / part.length)).length <= 200, true)
})
