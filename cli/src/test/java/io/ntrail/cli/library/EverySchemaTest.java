package io.ntrail.cli.library;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every JSON has a schema, which is the one that its name says, and fits it whatever the options
 * are: docs/schema has one file a name, and the file's root takes every shape.
 */
class EverySchemaTest {
  private static final Path ROOT = TestData.projectRoot();

  /** Returns the schema whose documents have a name. */
  private static JsonSchema schema(String name) throws IOException {
    String constant = "\"const\": \"" + name + "\"";
    List<Path> files;
    try (Stream<Path> all = Files.list(ROOT.resolve("docs/schema"))) {
      files = all.sorted().toList();
    }
    for (Path file : files) {
      if (Files.readString(file).contains(constant)) {
        return JsonSchema.named(file.getFileName().toString().replace(".schema.json", ""));
      }
    }
    throw new AssertionError("no schema of " + name + " in docs/schema");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "info shop.etl",
        "info shop.dmp",
        "info shop.ntr",
        "info shop.jtrc",
        "info shopcore.dll",
        "info shopd.pdb",
        "info shop.etl --list processes",
        "info shop.etl --list threads",
        "info shop.etl --list images",
        "info shop.etl --list methods",
        "info shop.etl --list sessions",
        "events shop.etl -n 9",
        "events shop.etl -n 9 -v",
        "events shop.etl -e FileIo/Read --stacks -n 3",
        "events shop.etl --count",
        "events shop.etl --count --sum IoSize",
        "events shop.etl --count --by process",
        "events shop.etl --count --by thread",
        "events shop.etl --count --by event",
        "events shop.etl --count --by cpu",
        "events shop.etl --count --by provider",
        "events shop.etl --count --by file --sum IoSize",
        "events shop.etl --count --by NtStatus",
        "profile shop.etl",
        "profile shop.etl --by module",
        "profile shop.etl --by line",
        "profile shop.etl --by process",
        "profile shop.etl --by thread",
        "profile shop.etl --by cpu",
        "profile shop.etl --metric disk --by file",
        "profile shop.etl --wait",
        "profile shop.etl --metric ready",
        "profile shop.etl --metric file",
        "profile shop.etl -e FileIo/Read",
        "profile shop.etl --tree",
        "profile shop.etl --bottom-up",
        "profile shop.etl --tree --by module",
        "profile shop.etl --callers shopcore.dll",
        "profile shop.etl -z ntoskrnl",
        "profile shop.etl --just-my-code",
        "profile shop.etl --only shopcore!* --hide ntoskrnl!*",
        "profile shop.ntr",
        "profile shop.ntr --tree",
        "stacks shop.dmp",
        "stacks shop.dmp --all -v",
        "stacks shop.dmp --same",
        "stacks shop.dmp --handlers",
        "stacks shop.etl --at 0.75",
        "stacks shop.etl -e FileIo/Read --top 2",
        "calls shop.ntr",
        "calls shop.ntr --flat",
        "calls shop.ntr --slowest 2",
        "calls shop.ntr --histogram *Key*",
        "calls shop.ntr --longer 1ms",
        "calls shop.jtrc --flat",
        "diff shop.etl shop.etl",
        "diff shop.etl shop.etl --by module",
        "image shopcore.dll",
        "image shopcore.dll --headers --sections --exports --imports --relocations --resources",
        "image shopcore.dll --functions --hotpatch",
        "image shopcore.dll --unwind StockMatch",
        "image . --hotpatch --functions",
        "image --decode 488bc1c3",
        "symbols shopd.pdb",
        "symbols shopd.pdb --list",
        "symbols shopd.pdb --publics",
        "symbols shopd.pdb --lines",
        "symbols shopd.pdb --address 0x1040",
        "symbols shopcore.dll --find Stock*",
        "symbols shop.etl",
        "symbols shop.etl --hot 3 --images",
        "symbols --undecorate ?x@@YAHH@Z",
      })
  void theJsonOfEveryOptionFitsItsSchema(String command) throws IOException {
    Object[] words =
        Stream.concat(Stream.of(command.split(" ", -1)), Stream.of("--format", "json", "-q"))
            .map(EverySchemaTest::here)
            .toArray();
    Cli.Result result = Cli.run(words);
    assertEquals(0, result.exit(), result.err());
    JsonReader json = result.json();
    assertTrue(json.has("schema"), "no schema in " + result.out().substring(0, 80));
    assertEquals(List.of(), schema(json.get("schema").text()).findings(json));
  }

  private static Object here(String word) {
    return word.matches("shop[a-z]*\\.[a-z]+|\\.") ? ROOT.resolve("samples").resolve(word) : word;
  }
}
