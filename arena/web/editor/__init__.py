"""The map editor and its page: scripts, style sheet, and what answers their requests (`editing`).

A game describes its maps (`arena.game.editor.MapEditor`): its tiles, the things on them, and the fields of a form. The
page knows no game: it shows what the description says, and changes a JSON document. The server knows no tool and no
brush: it sends the description with a document, says which problems a document has while the user draws, writes it to a
file, and lets built-in bots play on it. What the browser sends is checked again before it is written or played.

The path of a change: `stage.js` turns pointer and keys into strokes, `editor.js` applies a stroke with the chosen tool
and symmetry (`symmetry.js`), and `cells.js` writes it into the document, whose history `model.js` keeps. Then
`paint.js` draws the board, `palette.js` and `panels.js` the columns beside it, and `main.js` has the document checked.

* `main.js`: the page. `ask.js`: requests. `playing.js`: trial matches. `fields.js`: the form.
* `start.js`: the start page of `arena.web.start_page`. It is here since it draws small pictures of maps.
* `theme.js`: light or dark colours, for both pages.
"""
