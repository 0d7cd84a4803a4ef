package io.ntrail.analysis.naming;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.naming.ModuleBuilds.Build;
import io.ntrail.formats.identity.ImageId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ModuleBuildsTest {
  private static final Build OLD = new Build(new ImageId(0x5000_0000, 0x1000), Optional.empty());
  private static final Build LATER = new Build(new ImageId(0x6000_0000, 0x1000), Optional.empty());
  private static final Build LARGER = new Build(new ImageId(0x4000_0000, 0x2000), Optional.empty());

  private static ModuleBuilds of(String name, Build... builds) {
    ModuleBuilds all = new ModuleBuilds();
    for (Build build : builds) {
      all.add(name, build);
    }
    return all;
  }

  @Test
  void buildsAndSpellingsHaveOneOrderWhateverThatOfTheImages() {
    ModuleBuilds before = of("clr.dll", LARGER, LATER);
    before.add("CLR.dll", OLD);
    ModuleBuilds turned = of("CLR.dll", OLD, LATER);
    turned.add("clr.dll", LARGER);
    ModuleBuilds after = of("clr.dll", LARGER);
    ModuleBuilds.Difference expected =
        new ModuleBuilds.Difference("CLR.dll", List.of(OLD, LATER, LARGER), List.of(LARGER));
    assertEquals(expected, before.differences(after).get("clr.dll"));
    assertEquals(expected, turned.differences(after).get("clr.dll"));
  }
}
