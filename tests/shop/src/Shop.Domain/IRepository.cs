namespace Shop.Domain;

public interface IRepository<T>
    where T : Entity
{
    T? Find(int id);

    IEnumerable<T> All();

    void Save(T entity);
}
