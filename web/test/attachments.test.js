import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { readAttachments } from "../host/attachments.js";

const BYTES = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0x00);
const BASE64 = "iVBOR/8A";
const one = async (given) => (await readAttachments([given], "images"))[0];
const refused = (given, pattern, where = "images") =>
  assert.rejects(
    readAttachments(given, where),
    (fault) => fault.name === "ConfigError" && pattern.test(fault.message),
  );

describe("an attachment", () => {
  it("may be bytes, in any view of them", async () => {
    assert.deepEqual(await one(BYTES), { data: BASE64 });
    assert.deepEqual(await one(BYTES.buffer), { data: BASE64 });
    assert.deepEqual(await one(new DataView(BYTES.buffer, 2, 2)), { data: "Tkc=" });
    assert.deepEqual(await one({ data: BYTES, mediaType: "image/png" }), {
      data: BASE64,
      mediaType: "image/png",
    });
  });

  it("keeps the name and the type of a file, unless others are given", async () => {
    const file = new File([BYTES], "fern.png", { type: "image/png" });
    assert.deepEqual(await one(file), { data: BASE64, name: "fern.png", mediaType: "image/png" });
    assert.deepEqual(await one({ data: file, name: "plant.png" }), {
      data: BASE64,
      name: "plant.png",
      mediaType: "image/png",
    });
    assert.deepEqual(await one(new File([BYTES], "notes")), { data: BASE64, name: "notes" });
    assert.deepEqual(await one(new Blob([BYTES])), { data: BASE64 });
  });

  it("goes as it is when it is a text already", async () => {
    const texts = ["https://example.org/fern.png", "data:image/png;base64,AAAA", "AAAA"];
    for (const data of texts) {
      assert.deepEqual(await one(data), { data });
      assert.deepEqual(await one({ data, name: "a" }), { data, name: "a" });
    }
  });

  it("may be large", async () => {
    const large = Uint8Array.from({ length: 300_001 }, (_, index) => index % 251);
    const { data } = await one(large);
    assert.deepEqual(Buffer.from(data, "base64"), Buffer.from(large));
  });

  it("stays in its order", async () => {
    const slow = new Blob([Uint8Array.of(1)]);
    const all = await readAttachments([slow, Uint8Array.of(2), "AAAA"], "files");
    assert.deepEqual(all.map(({ data }) => data), ["AQ==", "Ag==", "AAAA"]);
  });

  it("is refused by its place where it is none", async () => {
    await refused(BYTES, /"images" is of the kind Uint8Array.*list/);
    await refused("AAAA", /"files" is a string/, "files");
    await refused(null, /"images" is null/);
    await refused(["AAAA", 7], /images\[1\] is a number.*File or Blob/);
    await refused([undefined], /images\[0\] is undefined/);
    await refused([{ data: [1, 2] }], /files\[0\] is of the kind Array/, "files");
    await refused([{ name: "a" }], /images\[0\] is undefined/);
    await refused([{ data: "AAAA", type: "image/png" }], /images\[0\] has an unknown field "type".*mediaType/);
    await refused([{ data: "AAAA", name: 5 }], /images\[0\]: "name" is a number/);
    await refused([new Blob([])], /images\[0\]: the attachment is empty/);
    await refused([""], /images\[0\]: the attachment is empty/);
  });

  it("is refused when its file cannot be read", async () => {
    const gone = new Blob([BYTES]);
    gone.arrayBuffer = () => Promise.reject(new Error("it was deleted"));
    await refused([gone], /images\[0\]: the file could not be read \(it was deleted\)/);
  });
});
