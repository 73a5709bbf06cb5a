import { expect, test } from "vitest";
import { written } from "./content.ts";

const files = new Map([["/src/find.webp", "/assets/find-1.webp"]]);

test.each([
  [
    "a condition",
    '<go-if of="eq .Type &quot;MODEL&quot;">A<go-else></go-else>B</go-if>',
    '{{if eq .Type "MODEL"}}A{{else}}B{{end}}',
  ],
  [
    "a list",
    '<ul><go-range of=".Tags"><li>{{.}}</li></go-range></ul>',
    "<ul>{{range .Tags}}<li>{{.}}</li>{{end}}</ul>",
  ],
  ["another template", "{{template &quot;cards&quot; .Entries}}", '{{template "cards" .Entries}}'],
  ["an address", '<a href="/go::Picture:Src">a</a>', '<a href="{{.Picture.Src}}">a</a>'],
  [
    "a part of an address",
    '<a href="/resources?tags=go%3AtagInList+%3ATag">',
    '<a href="/resources?tags={{tagInList .Tag}}">',
  ],
  ["a picture of the page", '<img src="/src/find.webp"/>', '<img src="/assets/find-1.webp"/>'],
  ["a style", '<span style="width:2ch" class="a">', '<span class="a">'],
  ["a button", '<button type="button">', '<button disabled type="button">'],
  ["a choice", '<select class="a">', '<select disabled class="a">'],
  ["a form's button", '<button type="submit">', '<button type="submit">'],
])("%s is written as the server reads it", (_, drawn, template) => {
  expect(written(drawn, files)).toBe(template);
});

test("a picture that the page is built without is an error", () => {
  expect(() => written('<img src="/src/gone.webp"/>', files)).toThrow("/src/gone.webp");
});
