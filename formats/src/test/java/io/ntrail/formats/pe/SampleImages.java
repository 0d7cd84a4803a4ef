package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.pe.LoaderView;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;

/** Shared images, opened. */
public final class SampleImages {
  private SampleImages() {}

  public static PeImage open(String group, String name) {
    return open(PeSamples.of(group, name));
  }

  static PeImage open(PeSample sample) {
    return open(sample.bytes(), sample.toString());
  }

  static PeImage open(byte[] file, String name) {
    return PeImage.ofFile(InputFile.of(file, name));
  }

  /** Returns the image as it lies in memory once the loader has mapped it. */
  static PeImage mapped(byte[] file, String name) {
    return PeImage.ofMemory(ImageView.flat(InputFile.of(LoaderView.map(file), name)));
  }
}
