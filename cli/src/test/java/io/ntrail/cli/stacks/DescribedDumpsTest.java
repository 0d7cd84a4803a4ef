package io.ntrail.cli.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dumps that the tests of LLDB describe as YAML, made by the tool for which they are written. */
class DescribedDumpsTest {
  private static final ExternalTool TOOL = ExternalTool.of("llvm", "yaml2obj-14", "yaml2obj");

  @TempDir private Path folder;

  /** Makes a dump or an image of the data. */
  private Path make(String description, String name) throws IOException, InterruptedException {
    assumeTrue(TestData.available(), TestData.MISSING);
    assumeTrue(TOOL.available(), TOOL.missing());
    Path yaml = folder.resolve(name + ".yaml");
    Files.write(yaml, TestData.gunzip("dumps/lldb/" + description + ".yaml.gz"));
    Path made = folder.resolve(name);
    ExternalTool.Outcome outcome =
        TOOL.run(folder, Map.of("LC_ALL", "C"), yaml.toString(), "-o", made.toString());
    assertEquals(0, outcome.exitCode(), outcome.errors());
    return made;
  }

  @Test
  void unwindDataThatPointOutOfTheImageDoNotEndTheAnswer() throws Exception {
    Path dump = make("broken-unwind.dmp", "it.dmp");
    make("broken-unwind.exe", "find-module.exe");
    Cli.Result result = Cli.run("stacks", "-q", dump, "-y", folder);
    assertEquals(0, result.exit(), result.err());
    // The instruction pointer in its context, and what lies on its stack first.
    assertTrue(result.out().contains("context  0x00cffe7c     find-module.exe+0x1092"));
    assertTrue(result.out().contains("scan     0x00cffe80     find-module.exe+0x1079"));
    assertTrue(result.out().contains("the walk ends here"), result.out());
  }

  @Test
  void aDumpWithoutThreadsNamesItsModuleAndSaysSo() throws Exception {
    Path dump = make("find-module.dmp", "it.dmp");
    Cli.Result stacks = Cli.run("stacks", "-q", dump);
    assertEquals(1, stacks.exit());
    assertTrue(stacks.err().contains("lists no threads"), stacks.err());
    String info = Cli.run("info", "-q", dump).out();
    assertTrue(info.contains("897DD83EA8C8411897F3A925EE4BF7411  find-module.exe"), info);
  }
}
