import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/**
 * Copies a jar with its classes in the format of this JDK: what they do stays as it is, and they get
 * the stack maps that formats before Java 6 lack. The start cache takes no classes that are older.
 */
final class CurrentClasses {
  private CurrentClasses() {}

  public static void main(String[] args) throws IOException {
    Path from = Path.of(args[0]);
    Path to = Path.of(args[1]);
    URL[] places = {from.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader());
        JarFile jar = new JarFile(from.toFile());
        JarOutputStream out = new JarOutputStream(Files.newOutputStream(to))) {
      ClassFile classes =
          ClassFile.of(
              ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
              ClassFile.ClassHierarchyResolverOption.of(
                  ClassHierarchyResolver.ofResourceParsing(loader)));
      Enumeration<JarEntry> entries = jar.entries();
      while (entries.hasMoreElements()) {
        JarEntry entry = entries.nextElement();
        byte[] bytes = bytes(jar, entry);
        JarEntry copy = new JarEntry(entry.getName());
        copy.setTime(entry.getTime());
        out.putNextEntry(copy);
        out.write(isClass(entry) ? current(classes, bytes) : bytes);
        out.closeEntry();
      }
    }
  }

  private static boolean isClass(JarEntry entry) {
    String name = entry.getName();
    return name.endsWith(".class") && !name.endsWith("module-info.class");
  }

  private static byte[] current(ClassFile classes, byte[] bytes) {
    ClassModel model = classes.parse(bytes);
    if (model.majorVersion() > ClassFile.JAVA_5_VERSION) {
      return bytes;
    }
    ClassTransform version =
        (builder, element) -> {
          if (element instanceof ClassFileVersion) {
            builder.withVersion(ClassFile.latestMajorVersion(), 0);
          } else {
            builder.with(element);
          }
        };
    // Code that nobody touches would be copied without stack maps.
    return classes.transformClass(
        model, ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL).andThen(version));
  }

  private static byte[] bytes(JarFile jar, JarEntry entry) throws IOException {
    try (InputStream in = jar.getInputStream(entry)) {
      return in.readAllBytes();
    }
  }
}
