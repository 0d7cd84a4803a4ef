package io.ntrail.cli.text;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Writer of objects of JSON as texts, for cells of another format: all by one writer, since making
 * one took longer than writing an object. One thread at a time.
 */
public final class JsonTexts {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final Json json = new Json(written);

  /** Makes a writer. */
  public JsonTexts() {}

  /** Returns an object with the given members. */
  public String object(Consumer<Json> members) {
    written.reset();
    json.object();
    members.accept(json);
    json.endObject();
    json.flush();
    // All but the first come after a separator of lines.
    return written.toString(StandardCharsets.UTF_8).strip();
  }
}
