print("docentd")
