package io.ntrail.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.compress.Lznt1Encoder;
import io.ntrail.testkit.compress.ReferenceDecoders;
import io.ntrail.testkit.compress.XpressEncoder;
import io.ntrail.testkit.compress.XpressHuffmanEncoder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PropertyTest {
  @Test
  void encodersComeBackOnAnything() {
    Property.check(g -> {
      byte[] data = g.bytes(9000);
      assertArrayEquals(data, ReferenceDecoders.xpress(XpressEncoder.compress(data), data.length));
      assertArrayEquals(data, ReferenceDecoders.lznt1(Lznt1Encoder.compress(data)));
      assertArrayEquals(
          data, ReferenceDecoders.xpressHuffman(XpressHuffmanEncoder.compress(data), data.length));
    });
  }

  @Test
  void failuresAreMadeSmallAndNameTheirSeed() {
    List<List<Integer>> failed = new ArrayList<>();
    AssertionError error =
        assertThrows(
            AssertionError.class,
            () ->
                Property.check(g -> {
                  List<Integer> numbers = g.list(50, e -> e.below(1000));
                  if (numbers.stream().anyMatch(n -> n >= 100)) {
                    failed.add(numbers);
                    throw new IllegalStateException("a number of three digits");
                  }
                }));
    assertEquals(List.of(100), failed.getLast());
    assertTrue(error.toString().contains("-Dntrail.property.seed="), error::toString);
  }

  @Test
  void numbersStayInTheirBounds() {
    Property.check(g -> {
      assertTrue(g.below(7) < 7);
      long n = g.between(-5, 5);
      assertTrue(n >= -5 && n <= 5);
      long wide = g.between(Long.MIN_VALUE + 1, Long.MAX_VALUE);
      assertTrue(wide > Long.MIN_VALUE);
      String text = g.text(20);
      assertTrue(text.codePointCount(0, text.length()) <= 20);
    });
  }
}
