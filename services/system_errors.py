"""What the operating system means when it refuses a file, in Spanish."""

import errno

_REASONS = {
    errno.EACCES: "este usuario no tiene permiso",
    errno.EPERM: "este usuario no tiene permiso",
    errno.EROFS: "el sistema de ficheros es de solo lectura",
    errno.ENOENT: "no existe",
    errno.ENOTDIR: "hay un fichero donde debería haber una carpeta",
    errno.EEXIST: "hay un fichero donde debería haber una carpeta",
    errno.EISDIR: "hay una carpeta donde debería haber un fichero",
    errno.ELOOP: "los enlaces simbólicos no llevan a ningún fichero",
    errno.ENAMETOOLONG: "el nombre es demasiado largo",
    errno.ENOSPC: "no queda espacio en el disco",
    errno.EDQUOT: "se ha agotado la cuota de disco",
}


def reason(error: OSError) -> str:
    """Return why the system refused, as the end of a sentence ("… : no existe")."""
    code = error.errno or 0
    return _REASONS.get(code, f"el sistema da el error {errno.errorcode.get(code, code)}")
